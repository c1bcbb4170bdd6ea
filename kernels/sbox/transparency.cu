// The sums of the transparency order: a warp computes r(a,2^j) for one a and all j, then a thread computes
// the sums of four beta over a part of all a.
#include "kernels/sbox/sbox_shells.cuh"
#include "kernels/sbox/transparency_agent.hpp"

namespace fugu::kernels {
namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kWarps = kThreads / 32;

__global__ void __launch_bounds__(kThreads)
    coordinate_autocorrelations_kernel(const __grid_constant__ CoordinateAutocorrelations all) {
  const unsigned lane = threadIdx.x % 32;
  const std::uint32_t size = 1u << all.inputs, copies = 32 * all.words / size;
  for (std::uint32_t a = blockIdx.x * kWarps + threadIdx.x / 32; a < size; a += gridDim.x * kWarps) {
    for (unsigned j = 0; j < kMostTransparencyOutputs; ++j) {
      std::int32_t r = 0;
      if (a != 0 && static_cast<int>(j) < all.outputs) {
        const std::uint32_t changes =
            warp_sum(changes_of(all.coordinates + j * all.words, all.words, a, lane, 32)) / copies;
        r = static_cast<std::int32_t>(size) - static_cast<std::int32_t>(2 * changes);
      }
      if (lane == 0) all.r[a * kMostTransparencyOutputs + j] = r;
    }
  }
}

// The number of rows of r that a block reads before it adds them.
constexpr std::uint32_t kRowsAtOnce = 64;
constexpr std::uint32_t kMostParts = 256;

__global__ void __launch_bounds__(kThreads)
    transparency_totals_kernel(const __grid_constant__ TransparencyTotals all) {
  __shared__ std::int32_t r[kRowsAtOnce * kMostTransparencyOutputs];
  const std::uint32_t quad = blockIdx.x * kThreads + threadIdx.x, betas = 1u << (all.outputs - 1);
  const TransparencyQuad signs(quad);
  std::uint64_t totals[4] = {};
  for (std::uint32_t first = blockIdx.y * kRowsAtOnce; first < all.size; first += gridDim.y * kRowsAtOnce) {
    const std::uint32_t rows = all.size - first < kRowsAtOnce ? all.size - first : kRowsAtOnce;
    for (std::uint32_t i = threadIdx.x; i < rows * kMostTransparencyOutputs; i += kThreads)
      r[i] = all.r[first * kMostTransparencyOutputs + i];
    __syncthreads();
    std::uint32_t sums[4] = {};  // of 64 terms of at most 16 * 2^20
    for (std::uint32_t row = 0; row < rows; ++row) signs.add(r + row * kMostTransparencyOutputs, sums);
    for (unsigned i = 0; i < 4; ++i) totals[i] += sums[i];
    __syncthreads();
  }
  for (unsigned i = 0; i < 4; ++i) {
    if (4 * quad + i < betas) add_to(all.totals + 4 * quad + i, totals[i]);
  }
}

}  // namespace

int launch_coordinate_autocorrelations(const CoordinateAutocorrelations& all, CUstream_st* stream) {
  return launch_filling(coordinate_autocorrelations_kernel, kThreads, 0,
                        ((1u << all.inputs) + kWarps - 1) / kWarps, all, stream);
}

int launch_transparency_totals(const TransparencyTotals& all, CUstream_st* stream) {
  const std::uint32_t parts = (all.size + kRowsAtOnce - 1) / kRowsAtOnce;
  const std::uint32_t quads = all.outputs > 3 ? 1u << (all.outputs - 3) : 1;
  const dim3 blocks((quads + kThreads - 1) / kThreads, parts < kMostParts ? parts : kMostParts);
  transparency_totals_kernel<<<blocks, kThreads, 0, stream>>>(all);
  return cudaGetLastError();
}

}  // namespace fugu::kernels
