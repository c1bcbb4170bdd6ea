// The papers' GPU algorithms under their own names, for comparison with their replacements.
//
// D. Bikov, I. Bouyukliev, "Parallel Fast Walsh Transform Algorithm and Its Implementation with CUDA on
// GPUs", 2018:
// - 1: one launch per step, two arrays in global memory
// - 2: the same without branches
// - 3: the same, M values per thread
// - 4: the first ten steps in shared memory, the others as in 1
// - 5: shared memory, then shared memory on transposed data (at most 2^20 values)
// - 6: as 5, the first five steps of each half by warp shuffles (2^5 to 2^20 values)
//
// D. B. Gajic, R. S. Stankovic: dyadic convolution by Algorithm 1 (one launch per step); character tables by
// repeated Kronecker products with two swapped buffers.
#pragma once

#include <complex>
#include <cstdint>

#include "fugu/device/buffer.hpp"
#include "fugu/export.hpp"

namespace fugu::spectral::cuda {

struct PaperOptions {
  std::uint32_t threads = 1024;  // per block, a power of two; the paper's Figure 6 varies it for Algorithm 1
  std::uint32_t values_per_thread = 2;  // M of Algorithm 3, a power of two
};

// Algorithms 1 to 6, in place, natural order, no scale. `other` is the second array of algorithms 1 to 4, of
// the same size. Throws Error{usage} for a number or a size that the algorithm does not have.
FUGU_EXPORT void paper_walsh(int algorithm, device::DeviceSpan<std::int32_t> spectrum,
                             device::DeviceSpan<std::int32_t> other, const PaperOptions& options,
                             const device::Stream& stream);

// f becomes the convolution, g its own spectrum. Throws Error{usage} unless both sizes are one power of two.
FUGU_EXPORT void paper_convolve(device::DeviceSpan<std::int64_t> f, device::DeviceSpan<std::int64_t> g,
                                const device::Stream& stream);

// The table of C_p^m in Kronecker order. Both buffers hold p^2m values; returns the one with the table.
// Throws Error{usage} unless p <= 64 and p^m < 2^31. Waits for the upload of C_p.
FUGU_EXPORT device::DeviceSpan<std::complex<float>> paper_characters(
    std::uint32_t p, int m, device::DeviceSpan<std::complex<float>> first,
    device::DeviceSpan<std::complex<float>> second, const device::Stream& stream);

}  // namespace fugu::spectral::cuda
