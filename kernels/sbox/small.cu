// Many boxes of 8 inputs and outputs: linearity, differential uniformity, degree.
#include "kernels/sbox/sbox_launch.hpp"
#include "kernels/sbox/sbox_shells.cuh"
#include "kernels/sbox/small_agent.hpp"

namespace fugu::kernels {
namespace {

struct SmallShared {
  std::uint32_t counters[SmallRow::kWords * kSmallThreads];
  CoordinateWords coordinates;
  SignTable<HalfPair> table;
  std::uint8_t values[kSmallPoints];
  std::uint32_t linearity;
  std::uint32_t uniformity;
  std::uint32_t degree_and_1;
};

__device__ void load(const SmallBoxes& all, std::uint64_t box, SmallShared& shared) {
  const auto* words = reinterpret_cast<const std::uint32_t*>(all.values + box * kSmallPoints);
  if (threadIdx.x < kSmallPoints / 4)
    reinterpret_cast<std::uint32_t*>(shared.values)[threadIdx.x] = words[threadIdx.x];
  if (threadIdx.x == 0) shared.linearity = shared.uniformity = shared.degree_and_1 = 0;
  __syncthreads();
  if (threadIdx.x < kSmallBits * kProfileWords) {
    const unsigned j = threadIdx.x / kProfileWords, w = threadIdx.x % kProfileWords;
    shared.coordinates[j][w] = coordinate_word(shared.values, kSmallPoints, static_cast<int>(j), w);
  }
  __syncthreads();
}

__device__ void measure(const SmallBoxes& all, SmallShared& shared) {
  const std::uint32_t used = (1u << all.outputs) - 1;
  std::uint32_t linearity = 0, uniformity = 0;
  for (std::uint32_t half = 0; half < 2; ++half) {
    const ProfileThread<HalfPair> component(shared.coordinates, threadIdx.x, half);
    const auto largest = static_cast<std::uint32_t>(component.largest(shared.table));
    if ((component.mask() & used) != 0 && largest > linearity) linearity = largest;
    const std::uint32_t a = half * kSmallThreads + threadIdx.x;
    if (a == 0 || a >> all.inputs != 0) continue;
    const std::uint32_t delta = SmallRow(shared.counters, threadIdx.x).largest(shared.values, a);
    if (delta > uniformity) uniformity = delta;
  }
  if (threadIdx.x < static_cast<unsigned>(all.outputs))
    atomicMax(&shared.degree_and_1, small_degree_and_one(shared.coordinates[threadIdx.x]));
  linearity = warp_maximum(linearity);
  uniformity = warp_maximum(uniformity);
  if (threadIdx.x % 32 != 0) return;
  atomicMax(&shared.linearity, linearity);
  atomicMax(&shared.uniformity, uniformity);
}

__global__ void __launch_bounds__(kSmallThreads, 3)
    small_boxes_kernel(const __grid_constant__ SmallBoxes all) {
  auto& shared = shared_of<SmallShared>();
  for (unsigned i = threadIdx.x; i < kProfileCoordinates * kProfileWords; i += kSmallThreads)
    shared.coordinates[i / kProfileWords][i % kProfileWords] = 0;
  for (unsigned i = threadIdx.x; i < SignTable<HalfPair>::kEntries; i += kSmallThreads) shared.table.fill(i);
  __syncthreads();
  for (std::uint64_t box = blockIdx.x; box < all.boxes; box += gridDim.x) {
    load(all, box, shared);
    measure(all, shared);
    __syncthreads();
    if (threadIdx.x == 0) {
      all.linearity[box] = static_cast<std::uint16_t>(shared.linearity);
      all.uniformity[box] = static_cast<std::uint16_t>(shared.uniformity);
      all.degree[box] = static_cast<std::int8_t>(static_cast<int>(shared.degree_and_1) - 1);
    }
    __syncthreads();
  }
}

}  // namespace

int launch_small_boxes(const SmallBoxes& boxes, CUstream_st* stream) {
  return launch_filling(small_boxes_kernel, kSmallThreads, sizeof(SmallShared), boxes.boxes, boxes, stream);
}

}  // namespace fugu::kernels
