// max |W(., b)| of all components b of boxes with 8 inputs.
#include "kernels/sbox/profile_agent.hpp"
#include "kernels/sbox/sbox_shells.cuh"
#include "kernels/spectral_launch.hpp"

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

}  // namespace fugu::kernels
