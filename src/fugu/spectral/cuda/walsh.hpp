// The fast Walsh transform and Boolean spectra on a GPU, in device memory, with the conventions of
// fugu/spectral/walsh.hpp and boolean.hpp.
//
// Unless stated otherwise everything is in place and queued on the stream, and nothing waits; a row of up to
// 2^20 values takes one launch where all of its blocks run at the same time. Orderings other than the natural
// one temporarily need a second buffer of the same size.
#pragma once

#include <type_traits>

#include "fugu/core/half.hpp"
#include "fugu/device/buffer.hpp"
#include "fugu/spectral/boolean.hpp"

namespace fugu::spectral::cuda {

// Transforms `in` to `out`, which have the same size and are identical or disjoint. Floats are
// multiplied by `scale`; integers allow only 1. T: std::int32_t, std::int64_t, float, double, core::Float16,
// core::Bfloat16. The last two are computed in float and rounded once. Their rows have 2^1 to 2^21 values and
// begin at a multiple of 4 bytes; rows that no kernel holds as a whole (from 2^17 values on, fewer on older
// GPUs) use 32 MB of memory for a moment. Throws Error{usage} when the values are not whole rows of
// 2^log2_size. Integers wrap and floats become infinite without an error; on_device_within_range() detects
// that.
template <class T>
FUGU_EXPORT void walsh(device::DeviceSpan<const std::type_identity_t<T>> in, device::DeviceSpan<T> out,
                       int log2_size, Ordering ordering, double scale, const device::Stream& stream);

// A Hadamard matrix of 12, 20, 28 or 40 rows (fugu/core/hadamard_base.hpp), or its transpose.
struct HadamardBase {
  int rows;
  bool transposed = false;
};

// Rows of base.rows * 2^log2_size values: out = scale (B x H) in, the Kronecker product of that matrix and
// the one of walsh(). T: float, core::Float16, core::Bfloat16, with arrays, rounding and memory as of
// walsh(); 1 <= log2_size <= 10. Rows begin at a multiple of two values' bytes. One pass. Throws
// Error{usage}, and Error{no_device} when a row needs more shared memory than a block of the GPU has: 66 KB
// for 28 rows below 2^10, 165 KB for 40 rows of 2^10.
template <class T>
FUGU_EXPORT void hadamard(device::DeviceSpan<const std::type_identity_t<T>> in, device::DeviceSpan<T> out,
                          HadamardBase base, int log2_size, double scale, const device::Stream& stream);

// In place.
template <class T>
void walsh(device::DeviceSpan<T> data, int log2_size, Ordering ordering, const device::Stream& stream) {
  walsh({data.data, data.size}, data, log2_size, ordering, 1, stream);
}

// For integers, blocks until done and throws Error{usage} when the input is not the spectrum of an integer
// function.
template <class T>
FUGU_EXPORT void inverse_walsh(device::DeviceSpan<T> data, int log2_size, Ordering ordering,
                               const device::Stream& stream);

// The spectrum of a Boolean function of 1 to 30 variables from its packed truth table, f(x) being bit x % 32
// of word x / 32. From 15 variables on, the values after 14 stages are kept as 16-bit integers in 2^(n + 1)
// bytes.
FUGU_EXPORT void boolean_spectrum(device::DeviceSpan<const std::uint32_t> words, int variables,
                                  device::DeviceSpan<std::int32_t> out, const device::Stream& stream);

// The degree of the algebraic normal form, by the Moebius transform of a copy; -1 for the zero function.
// Blocks until done.
FUGU_EXPORT int algebraic_degree(device::DeviceSpan<const std::uint32_t> words, int variables,
                                 const device::Stream& stream);

// Uploads the truth table in the format of the functions above. Blocks until done.
FUGU_EXPORT device::Buffer<std::uint32_t> upload(const TruthTable& function, const device::Stream& stream);

// The truth table in the format of boolean_spectrum().
FUGU_EXPORT std::vector<std::uint32_t> packed_words(const TruthTable& function);

// The spectrum of a function in host memory, copied back there: `out` holds as many values as the function.
// Blocks until done. Throws Error{usage}.
FUGU_EXPORT void walsh_spectrum(const TruthTable& function, std::span<std::int32_t> out,
                                const device::Stream& stream);

// How often each value of W occurs: value(i) occurs counts[i] times, each value in `others` once per entry,
// and no other value.
struct SpectrumCounts {
  std::uint64_t max_abs = 0;
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::vector<std::uint32_t> counts;
  std::vector<std::int32_t> others;  // values of large magnitude, in no order

  std::int64_t value(std::size_t i) const { return first + static_cast<std::int64_t>(i) * step; }
};

// The last pass of the transform counts its results and writes no spectrum. Blocks until done.
FUGU_EXPORT SpectrumCounts count_spectrum(device::DeviceSpan<const std::uint32_t> words, int variables,
                                          const device::Stream& stream);

// Nonlinearity and, if requested, the histogram: the last pass gathers them and writes no spectrum. Blocks
// until done.
enum class Counting : std::uint8_t { no, yes };
FUGU_EXPORT SpectrumSummary summarize_spectrum(device::DeviceSpan<const std::uint32_t> words, int variables,
                                               Counting counting, const device::Stream& stream);
FUGU_EXPORT SpectrumSummary summarize_spectrum(const TruthTable& function, Counting counting,
                                               const device::Stream& stream);

// The result replaces f; g is overwritten. g.data == f.data is autocorrelation, which transforms once. T:
// std::int64_t, float, double. Integers are computed modulo 2^64 before the final division: the caller has
// checked convolution_width(). Throws Error{usage} when the sizes are not the same power of two.
template <class T>
FUGU_EXPORT void dyadic_convolve(device::DeviceSpan<T> f, device::DeviceSpan<T> g,
                                 const device::Stream& stream);

// The same on host memory; f and g may be one span. Integers: throws Error{usage} before any work when the
// result does not fit, or needs 128-bit integers, which only the CPU computes.
template <class T>
FUGU_EXPORT void dyadic_convolve(std::span<T> f, std::span<T> g, const device::Stream& stream);

}  // namespace fugu::spectral::cuda
