// Boxes of 8 inputs: max |W(., b)| of all components b; of many boxes linearity, differential uniformity,
// degree.
#include "kernels/sbox/profile_agent.hpp"
#include "kernels/sbox/sbox_shells.cuh"

namespace fugu::kernels {
namespace {

constexpr unsigned kProfileThreads = 1u << kProfileLaneBits;
constexpr int kProfileBlocksPerSm = 3;  // the registers left by 128 values per thread
constexpr unsigned kProfileWaves = 8;   // blocks of the last wave end at different times

struct ProfileShared {
  CoordinateWords coordinates;
  SignTable<HalfPair> table;
  std::uint32_t counts[kProfileHalves];
};

__device__ void prepare(const ComponentProfile& profile, ProfileShared& shared) {
  for (unsigned i = threadIdx.x; i < kProfileCoordinates * kProfileWords; i += kProfileThreads)
    shared.coordinates[i / kProfileWords][i % kProfileWords] = profile.coordinates[i];
  for (unsigned i = threadIdx.x; i < kProfileHalves; i += kProfileThreads) shared.counts[i] = 0;
  for (unsigned i = threadIdx.x; i < SignTable<HalfPair>::kEntries; i += kProfileThreads)
    shared.table.fill(i);
  __syncthreads();
}

// Lists components that reach the largest value known so far.
__device__ void list(const ComponentProfile& profile, std::uint32_t mask, std::uint32_t value,
                     std::uint32_t& known) {
  const std::uint32_t before = atomicMax(profile.largest, value);
  known = before > value ? before : value;
  if (before > value) return;
  const std::uint32_t slot = atomicAdd(profile.listed, 1u);
  if (slot < profile.capacity) profile.list[slot] = {mask, value};
}

__global__ void __launch_bounds__(kProfileThreads, kProfileBlocksPerSm)
    component_profile_kernel(const __grid_constant__ ComponentProfile profile) {
  __shared__ ProfileShared shared;
  prepare(profile, shared);
  const std::uint64_t count = profile.last - profile.first;
  const auto first = static_cast<std::uint32_t>(profile.first + count * blockIdx.x / gridDim.x);
  const auto last = static_cast<std::uint32_t>(profile.first + count * (blockIdx.x + 1) / gridDim.x);
  ProfileThread<HalfPair> thread(shared.coordinates, threadIdx.x, first);
  std::uint32_t known = __ldcg(profile.largest);
  for (std::uint32_t i = first; i < last; ++i) {
    if (i != first) thread.advance(__ffs(static_cast<int>(i)) - 1);
    const bool is_component = thread.mask() != 0;
    const auto value = static_cast<std::uint32_t>(thread.largest(shared.table));
    if (is_component) atomicAdd(&shared.counts[value / 2], 1u);
    if (is_component && value >= known) list(profile, thread.mask(), value, known);
  }
  __syncthreads();
  for (unsigned half = threadIdx.x; half < kProfileHalves; half += kProfileThreads) {
    if (shared.counts[half] != 0)
      atomicAdd(reinterpret_cast<unsigned long long*>(profile.counts + half),
                static_cast<unsigned long long>(shared.counts[half]));
  }
}

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

int launch_component_profile(const ComponentProfile& profile, CUstream_st* stream) {
  int device = 0, multiprocessors = 0;
  int status = cudaGetDevice(&device);
  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (status != cudaSuccess) return status;
  const std::uint64_t most =
      std::uint64_t{kProfileBlocksPerSm} * kProfileWaves * static_cast<unsigned>(multiprocessors);
  const std::uint64_t count = profile.last - profile.first;
  const auto blocks = static_cast<unsigned>(count < most ? count : most);
  component_profile_kernel<<<blocks, kProfileThreads, 0, stream>>>(profile);
  return cudaGetLastError();
}

int launch_small_boxes(const SmallBoxes& boxes, CUstream_st* stream) {
  return launch_filling(small_boxes_kernel, kSmallThreads, sizeof(SmallShared), boxes.boxes, boxes, stream);
}

}  // namespace fugu::kernels
