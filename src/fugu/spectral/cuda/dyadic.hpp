// Dyadic convolution on a GPU, in device memory, with the conventions of fugu/spectral/dyadic.hpp.
#pragma once

#include <span>

#include "fugu/device/buffer.hpp"
#include "fugu/export.hpp"

namespace fugu::spectral::cuda {

// The result replaces f; g is overwritten. g.data == f.data is autocorrelation, which transforms once. T:
// std::int64_t, float, double. Integers are computed modulo 2^64 before the final division: the caller has
// checked convolution_width(). Throws Error{usage} when the sizes are not one power of two.
template <class T>
FUGU_EXPORT void dyadic_convolve(device::DeviceSpan<T> f, device::DeviceSpan<T> g,
                                 const device::Stream& stream);

// The same on host memory; f and g may be one span. Integers: throws Error{usage} before any work when the
// result does not fit, or needs 128-bit integers, which only the CPU computes.
template <class T>
FUGU_EXPORT void dyadic_convolve(std::span<T> f, std::span<T> g, const device::Stream& stream);

}  // namespace fugu::spectral::cuda
