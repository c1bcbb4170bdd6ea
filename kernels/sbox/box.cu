// Copies a box's values and derives the arrays that other kernels read.
#include "kernels/sbox/box_agent.hpp"
#include "kernels/sbox/sbox_launch.hpp"
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
__global__ void box_values_kernel(const T* from, const BoxValues box) {
  std::uint64_t bits = 0;
  for (std::uint32_t x = first_item(); x < box.count; x += next_item()) {
    bits |= bits_of_value(from[x]);
    box.values[x] = static_cast<std::uint32_t>(from[x]);
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

template <class T>
int launch_values(const BoxValues& box, CUstream_st* stream) {
  box_values_kernel<<<blocks_for(box.count), kThreads, 0, stream>>>(static_cast<const T*>(box.from), box);
  return cudaGetLastError();
}

}  // namespace

int launch_box_values(const BoxValues& box, CUstream_st* stream) {
  switch (box.type) {
    case Integer::int8:
      return launch_values<std::int8_t>(box, stream);
    case Integer::int16:
      return launch_values<std::int16_t>(box, stream);
    case Integer::int32:
      return launch_values<std::int32_t>(box, stream);
    case Integer::int64:
      return launch_values<std::int64_t>(box, stream);
    case Integer::uint8:
      return launch_values<std::uint8_t>(box, stream);
    case Integer::uint16:
      return launch_values<std::uint16_t>(box, stream);
    case Integer::uint32:
      return launch_values<std::uint32_t>(box, stream);
    case Integer::uint64:
      return launch_values<std::uint64_t>(box, stream);
  }
  return cudaErrorInvalidValue;
}

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

}  // namespace fugu::kernels
