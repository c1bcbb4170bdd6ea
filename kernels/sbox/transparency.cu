// The sums of the transparency order: a thread computes the sums of four beta over a part of all a.
#include "kernels/sbox/sbox_shells.cuh"
#include "kernels/sbox/transparency_agent.hpp"

namespace fugu::kernels {
namespace {

constexpr unsigned kThreads = 256;
constexpr std::uint32_t kMaxBlocks = 1024;

// The grid has one row of blocks per coordinate.
__global__ void coordinate_signs_kernel(const CoordinateSigns all) {
  std::int64_t* const signs = all.signs + static_cast<std::size_t>(blockIdx.y) * all.size;
  for (std::uint32_t x = blockIdx.x * kThreads + threadIdx.x; x < all.size; x += gridDim.x * kThreads)
    signs[x] = coordinate_sign(all.values[x], blockIdx.y);
}

// The number of rows of r that a block reads before it adds them.
constexpr std::uint32_t kRowsAtOnce = 64;
constexpr std::uint32_t kMaxParts = 256;

__global__ void __launch_bounds__(kThreads)
    transparency_totals_kernel(const __grid_constant__ TransparencyTotals all) {
  __shared__ std::int32_t r[kRowsAtOnce * kMaxTransparencyOutputs];
  const std::uint32_t quad = blockIdx.x * kThreads + threadIdx.x, betas = 1u << (all.outputs - 1);
  const TransparencyQuad signs(quad);
  std::uint64_t totals[4] = {};
  for (std::uint32_t first = blockIdx.y * kRowsAtOnce; first < all.size; first += gridDim.y * kRowsAtOnce) {
    const std::uint32_t rows = all.size - first < kRowsAtOnce ? all.size - first : kRowsAtOnce;
    for (std::uint32_t i = threadIdx.x; i < kRowsAtOnce * kMaxTransparencyOutputs; i += kThreads) {
      const std::uint32_t row = i % kRowsAtOnce, j = i / kRowsAtOnce, a = first + row;
      const bool counts = row < rows && a != 0 && j < static_cast<std::uint32_t>(all.outputs);
      r[row * kMaxTransparencyOutputs + j] =
          counts ? static_cast<std::int32_t>(all.r[static_cast<std::size_t>(j) * all.size + a]) : 0;
    }
    __syncthreads();
    std::uint32_t sums[4] = {};  // of 64 terms of at most 16 * 2^20
    for (std::uint32_t row = 0; row < rows; ++row) signs.add(r + row * kMaxTransparencyOutputs, sums);
    for (unsigned i = 0; i < 4; ++i) totals[i] += sums[i];
    __syncthreads();
  }
  for (unsigned i = 0; i < 4; ++i) {
    if (4 * quad + i < betas) add_to(all.totals + 4 * quad + i, totals[i]);
  }
}

}  // namespace

int launch_coordinate_signs(const CoordinateSigns& all, CUstream_st* stream) {
  const std::uint32_t blocks = (all.size + kThreads - 1) / kThreads;
  const dim3 grid(blocks < kMaxBlocks ? blocks : kMaxBlocks, static_cast<unsigned>(all.outputs));
  coordinate_signs_kernel<<<grid, kThreads, 0, stream>>>(all);
  return cudaGetLastError();
}

int launch_transparency_totals(const TransparencyTotals& all, CUstream_st* stream) {
  const std::uint32_t parts = (all.size + kRowsAtOnce - 1) / kRowsAtOnce;
  const std::uint32_t quads = all.outputs > 3 ? 1u << (all.outputs - 3) : 1;
  const dim3 blocks((quads + kThreads - 1) / kThreads, parts < kMaxParts ? parts : kMaxParts);
  transparency_totals_kernel<<<blocks, kThreads, 0, stream>>>(all);
  return cudaGetLastError();
}

}  // namespace fugu::kernels
