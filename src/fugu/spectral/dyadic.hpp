// Dyadic convolution and autocorrelation (Gajic, Stankovic, "Computation of Dyadic Convolution on GPU for
// Efficient Modeling of Dyadic LTI Systems", section 2.4):
//   C(s) = sum over x of f(x) g(x ^ s),  f, g and C of 2^n values in natural order; autocorrelation is g = f.
//
// Computed as inverse(walsh(f) walsh(g)).
//
// Integers are exact. |C| is at most B = min(sum |f| max |g|, max |f| sum |g|), which is computed first:
// 64-bit integers are used if B 2^n < 2^63, 128-bit ones if B < 2^63; otherwise Error{usage} is thrown before
// any work. Floats that overflow are refused as by walsh.hpp, after the work.
#pragma once

#include <span>

#include "fugu/spectral/options.hpp"

namespace fugu::spectral {

// The result replaces f; g is overwritten. T: std::int64_t, float, double. The spans have the same size, a
// power of two; throws Error{usage} otherwise. Ignores options.ordering: s is an index of the functions.
template <class T>
FUGU_EXPORT void dyadic_convolve(std::span<T> f, std::span<T> g, const WalshOptions& options = {});

template <class T>
FUGU_EXPORT void dyadic_autocorrelate(std::span<T> f, const WalshOptions& options = {});

// The integer width that the bound above requires.
enum class ConvolutionWidth : std::uint8_t { bits64, bits128 };

// Throws Error{usage}, with the bound, when the result may not fit 64 bits.
FUGU_EXPORT ConvolutionWidth convolution_width(std::span<const std::int64_t> f,
                                               std::span<const std::int64_t> g);

}  // namespace fugu::spectral
