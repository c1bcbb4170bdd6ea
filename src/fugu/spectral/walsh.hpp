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

#include "fugu/export.hpp"
#include "fugu/spectral/options.hpp"

namespace fugu::spectral {

// Transforms every row of 2^log2_size values in `data` in place (one function, or a batch of consecutive
// ones). T: std::int32_t, std::int64_t, float, double. Throws Error{usage} when data is not whole rows.
template <class T>
FUGU_EXPORT void walsh(std::span<T> data, int log2_size, const WalshOptions& options = {});

// The same if the sum of |f| over each row fits T, so that the result is exact; otherwise returns false and
// leaves data as it was. Long rows are checked while the first pass reads them, which costs a few percent; a
// separate check (exactness.hpp) costs 10 to 25 %. Floats always fit, or are refused as by walsh().
template <class T>
FUGU_EXPORT bool walsh_if_exact(std::span<T> data, int log2_size, const WalshOptions& options = {});

// The inverse. Integers must come out whole: throws Error{usage} when the input is not the spectrum of an
// integer function (data is then unspecified), and when 2^log2_size does not fit the type. Otherwise overflow
// of integers is not detected.
template <class T>
FUGU_EXPORT void inverse_walsh(std::span<T> data, int log2_size, const WalshOptions& options = {});

}  // namespace fugu::spectral
