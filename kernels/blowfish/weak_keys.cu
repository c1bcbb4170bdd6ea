// The kernel shell of the search for weak keys, and its launcher. The agent's code is in weak_keys_agent.hpp.
#include <cuda_runtime_api.h>

#include "kernels/blowfish/blowfish_policy.hpp"
#include "kernels/blowfish/weak_keys_agent.hpp"

namespace fugu::kernels {
namespace {

__global__ void __launch_bounds__(kMaxWeakKeyWarps * 32, 1)
    weak_keys_kernel(const __grid_constant__ WeakKeySearch search) {
  extern __shared__ std::uint32_t shared[];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  std::uint32_t* const words = shared + warp * kWeakKeyWords;
  for (std::uint64_t group = blockIdx.x + std::uint64_t{warp} * gridDim.x; group < search.groups;
       group += std::uint64_t{warps} * gridDim.x) {
    WeakKeyLane agent(words, search.initial, lane);
    agent.fill();
    __syncwarp();
    if (agent.is_first_box()) agent.expand(search.first + group * kWeakKeysPerWarp);
    __syncwarp();
    const std::uint32_t suspects = __ballot_sync(~0u, agent.is_suspect());
    if (lane == 0) search.suspects[group] = suspect_keys(suspects);
  }
  WeakKeyLane(words, search.initial, lane).wipe();
}

}  // namespace

int launch_weak_keys(const WeakKeySearch& search, int multiprocessors, std::size_t shared_bytes_per_block,
                     CUstream_st* stream) noexcept {
  if (search.groups == 0) return cudaSuccess;
  const unsigned warps = weak_key_warps(shared_bytes_per_block);
  const std::size_t shared_bytes = warps * std::size_t{4} * kWeakKeyWords;
  const cudaError_t status = cudaFuncSetAttribute(
      weak_keys_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes));
  if (status != cudaSuccess) return status;
  weak_keys_kernel<<<static_cast<unsigned>(multiprocessors), warps * 32, shared_bytes, stream>>>(search);
  return cudaGetLastError();
}

}  // namespace fugu::kernels
