// Copies a box's values and derives the arrays that other kernels read; the sums of the transparency order.
#include "kernels/sbox/box_agent.hpp"
#include "kernels/sbox/sbox_shells.cuh"

namespace fugu::kernels {
namespace {

constexpr unsigned kThreads = 256;
constexpr std::uint32_t kMaxBlocks = 1024;

unsigned blocks_for(std::uint32_t items) {
  const std::uint32_t blocks = (items + kThreads - 1) / kThreads;
  return blocks < kMaxBlocks ? blocks : kMaxBlocks;
}

__device__ std::uint32_t first_item() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}
__device__ std::uint32_t next_item() {
  return gridDim.x * blockDim.x;
}

template <class T>
__global__ void box_values_kernel(const BoxValues<T> box) {
  std::uint64_t bits = 0;
  for (std::uint32_t x = first_item(); x < box.count; x += next_item()) {
    bits |= bits_of_value(box.from[x]);
    box.values[x] = static_cast<std::uint32_t>(box.from[x]);
  }
  const std::uint32_t high = warp_or(static_cast<std::uint32_t>(bits >> 32));
  const std::uint32_t low = warp_or(static_cast<std::uint32_t>(bits));
  if (threadIdx.x % 32 == 0)
    atomicOr(reinterpret_cast<unsigned long long*>(box.bits),
             static_cast<unsigned long long>(high) << 32 | low);
}

__global__ void narrow_values_kernel(const NarrowValues box) {
  for (std::uint32_t x = first_item(); x < box.count; x += next_item())
    box.narrow[x] = static_cast<std::uint16_t>(box.values[x]);
}

// The lanes of a warp compute one word of each coordinate, so they read the same values.
__global__ void box_coordinates_kernel(const BoxCoordinates box) {
  for (std::uint32_t item = first_item(); item / 32 < box.words; item += next_item()) {
    const std::uint32_t w = item / 32;
    const auto j = static_cast<int>(item % 32);
    if (j < box.coordinates)
      box.out[static_cast<std::size_t>(j) * box.words + w] = coordinate_word(box.values, box.size, j, w);
  }
}

// The grid has one row of blocks per pair of an input and an output.
__global__ void one_bit_agreements_kernel(const OneBitAgreements all) {
  const auto i = static_cast<int>(blockIdx.y) / all.outputs, j = static_cast<int>(blockIdx.y) % all.outputs;
  const std::uint32_t* coordinate = all.coordinates + static_cast<std::size_t>(j) * all.words;
  std::uint32_t count = 0;
  for (std::uint32_t w = first_item(); w < all.words; w += next_item())
    count += agreements(coordinate[w], i, w);
  count = warp_sum(count);
  if (threadIdx.x % 32 == 0 && count != 0) atomicAdd(all.counts + blockIdx.y, count);
}

// The grid has one row of blocks per input.
__global__ void one_bit_differences_kernel(const OneBitDifferences all) {
  std::uint32_t reached = 0;
  for (std::uint32_t x = first_item(); x < all.size; x += next_item())
    reached |= one_bit_difference(all.values, x, 1u << blockIdx.y);
  reached = warp_or(reached);
  if (threadIdx.x % 32 == 0 && reached != 0) atomicOr(all.reached + blockIdx.y, reached);
}

// The grid has one row of blocks per coordinate.
__global__ void coordinate_signs_kernel(const CoordinateSigns all) {
  std::int64_t* const signs = all.signs + static_cast<std::size_t>(blockIdx.y) * all.size;
  for (std::uint32_t x = blockIdx.x * kThreads + threadIdx.x; x < all.size; x += gridDim.x * kThreads)
    signs[x] = coordinate_sign(all.values[x], blockIdx.y);
}

// The number of rows of r that a block reads before it adds them.
constexpr std::uint32_t kRowsAtOnce = 64;
constexpr std::uint32_t kMaxParts = 256;

// A thread computes the sums of four beta over a part of all a.
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

template <class T>
int launch_box_values(const BoxValues<T>& box, CUstream_st* stream) {
  box_values_kernel<<<blocks_for(box.count), kThreads, 0, stream>>>(box);
  return cudaGetLastError();
}
template int launch_box_values(const BoxValues<std::int8_t>&, CUstream_st*);
template int launch_box_values(const BoxValues<std::int16_t>&, CUstream_st*);
template int launch_box_values(const BoxValues<std::int32_t>&, CUstream_st*);
template int launch_box_values(const BoxValues<std::int64_t>&, CUstream_st*);
template int launch_box_values(const BoxValues<std::uint8_t>&, CUstream_st*);
template int launch_box_values(const BoxValues<std::uint16_t>&, CUstream_st*);
template int launch_box_values(const BoxValues<std::uint32_t>&, CUstream_st*);
template int launch_box_values(const BoxValues<std::uint64_t>&, CUstream_st*);

int launch_narrow_values(const NarrowValues& box, CUstream_st* stream) {
  narrow_values_kernel<<<blocks_for(box.count), kThreads, 0, stream>>>(box);
  return cudaGetLastError();
}

int launch_box_coordinates(const BoxCoordinates& box, CUstream_st* stream) {
  box_coordinates_kernel<<<blocks_for(32 * box.words), kThreads, 0, stream>>>(box);
  return cudaGetLastError();
}

int launch_one_bit_agreements(const OneBitAgreements& all, CUstream_st* stream) {
  const dim3 blocks(blocks_for(all.words / 4 + 1), static_cast<unsigned>(all.inputs * all.outputs));
  one_bit_agreements_kernel<<<blocks, kThreads, 0, stream>>>(all);
  return cudaGetLastError();
}

int launch_one_bit_differences(const OneBitDifferences& all, CUstream_st* stream) {
  const dim3 blocks(blocks_for(all.size / 4 + 1), static_cast<unsigned>(all.inputs));
  one_bit_differences_kernel<<<blocks, kThreads, 0, stream>>>(all);
  return cudaGetLastError();
}

int launch_coordinate_signs(const CoordinateSigns& all, CUstream_st* stream) {
  const dim3 grid(blocks_for(all.size), static_cast<unsigned>(all.outputs));
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
