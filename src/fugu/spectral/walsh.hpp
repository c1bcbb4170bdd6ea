// The fast Walsh transform of integers and floats on the CPU.
//
// Definition (natural, also Hadamard, order), for f of 2^n values and 0 <= a < 2^n:
//   W(a) = sum over x of (-1)^{popcount(a & x)} f(x),        no scale
//   f(x) = 2^-n sum over a of (-1)^{popcount(a & x)} W(a),   the inverse carries all of the scale
// Bit 0 of an index is its least significant bit. Orderings name the same coefficients differently:
//   natural   position k holds W(k)
//   dyadic    (Paley) position k holds W(r(k)), r reversing the n bits of k
//   sequency  (Walsh) position k holds W(r(k ^ k >> 1)), the row of the matrix that changes sign k times
// The forward transform writes the requested ordering; the inverse reads it. Functions are always in natural
// order.
//
// Integers wrap modulo 2^32 or 2^64: the result is exact if it fits, which the sum of |f| below 2^31 or 2^63
// guarantees; for the inverse 2^n f, the result before the scale, has to fit. Floats that overflow are
// refused: Error{usage} is thrown when a result is infinite or NaN because a sum of finite values exceeded
// the type; data is then unspecified. Infinities and NaNs in the input may spread in the result without an
// error. Nothing here allocates in proportion to the data.
#pragma once

#include <span>

#include "fugu/spectral/options.hpp"

namespace fugu::spectral {

// Transforms every row of 2^log2_size values in `data` in place (one function, or a batch of consecutive
// ones). T: std::int32_t, std::int64_t, float, double. Throws Error{usage} when data is not whole rows.
template <class T>
FUGU_EXPORT void walsh(std::span<T> data, int log2_size, const WalshOptions& options = {});

// The same if the sum of |f| over each row fits T, so that the result is exact; otherwise returns false and
// leaves data as it was. Floats always fit, or are refused as by walsh().
template <class T>
FUGU_EXPORT bool walsh_if_exact(std::span<T> data, int log2_size, const WalshOptions& options = {});

// Rows of 16-bit floats from `in` to `out`, which have the same size and are identical or disjoint:
// computed in float, where overflow is refused as by walsh(), multiplied by `scale` and rounded once. What
// exceeds the 16-bit type becomes infinite; returns false if that happened in a row of finite values. Since
// the matrices of all orderings are symmetric, a scale of 2^-log2_size makes this the inverse. Threads have
// memory for a row each, or share a longer row's.
// `T` is core::Float16, IEEE 754 binary16, or core::Bfloat16, the upper half of a float; the spans hold its
// bits.
template <class T>
FUGU_EXPORT bool walsh_halves(std::span<const std::uint16_t> in, std::span<std::uint16_t> out, int log2_size,
                              double scale = 1, const WalshOptions& options = {});

// The inverse. Integers must come out whole: throws Error{usage} when the input is not the spectrum of an
// integer function (data is then unspecified), and when 2^log2_size does not fit the type. Otherwise overflow
// of integers is not detected.
template <class T>
FUGU_EXPORT void inverse_walsh(std::span<T> data, int log2_size, const WalshOptions& options = {});

// Parts of the transform, for callers whose values do not fit one memory: only the stages of the index bits
// [first, first + stages), in place: x(i), x(i + 2^b) become their sum and difference for each of these bits
// b. The stages commute; all of them together are walsh(). T as there. Of `options` only threads, pool, isa
// and stop are used. Throws Error{usage} when data is not whole rows of 2^(first + stages).
template <class T>
FUGU_EXPORT void walsh_stages(std::span<T> data, int first, int stages, const WalshOptions& options = {});

// Divides by 2^log2_size, the scale of the inverse; false if an integer has a remainder.
template <class T>
FUGU_EXPORT bool divide_by_power(std::span<T> data, int log2_size);

}  // namespace fugu::spectral
