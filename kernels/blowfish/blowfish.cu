// Kernel shells of the Blowfish agents, and their launchers. The agents' code is in blowfish_agent.hpp.
#include <cuda_runtime_api.h>

#include "kernels/blowfish/blowfish_agent.hpp"
#include "kernels/blowfish/blowfish_policy.hpp"

namespace fugu::kernels {
namespace {

// Registers: 64 per thread at 1024 threads, 128 at 512.
constexpr unsigned max_threads(bool replicated, std::size_t vectors) {
  return replicated && vectors <= 2 ? 1024 : 512;
}

// MadWord's additions multiply by gridDim.z, which is 1. The check reads it by assembly: a compiler that knew
// the value would turn the multiplications back into additions.
__device__ __forceinline__ void require_flat_grid() {
  unsigned depth;
  asm volatile("mov.u32 %0, %%nctaid.z;" : "=r"(depth));
  if (depth != 1) __trap();
}

template <std::size_t vectors, class Agent>
__device__ __forceinline__ void exchange(Agent& agent) {
  const unsigned below = (threadIdx.x + kWarpLanes - 1) % kWarpLanes;
#pragma unroll
  for (std::size_t j = 0; j < vectors; ++j) {
    const BlockWords own = agent.outgoing(j);
    agent.incoming(j,
                   {__shfl_sync(0xffffffffu, own.first, below), __shfl_sync(0xffffffffu, own.second, below)});
  }
}

template <core::Op op, core::ByteOrder words, bool replicated, std::size_t vectors, bool prefetch>
__global__ void __launch_bounds__(max_threads(replicated, vectors), replicated ? 1 : 2)
    blowfish_kernel(const __grid_constant__ BlowfishArguments arguments) {
  extern __shared__ std::uint32_t tables[];
  require_flat_grid();
  BlowfishAgent<op, words, replicated, vectors, prefetch> agent(
      arguments, tables, {blockIdx.x, gridDim.x, threadIdx.x, blockDim.x});
  while (agent.next_run()) {
    agent.enter_run();
    __syncthreads();
    while (agent.more()) {
      agent.fetch();
      if constexpr (is_chained(op)) exchange<vectors>(agent);
      agent.work();
    }
    __syncthreads();
  }
}

__global__ void save_chain_kernel(const __grid_constant__ BlowfishArguments arguments, std::uint64_t unit,
                                  unsigned thread_blocks) {
  const unsigned thread_block = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread_block < thread_blocks) save_chain(arguments, unit, thread_block, thread_blocks);
}

using Kernel = void (*)(BlowfishArguments);

// The shapes that blowfish_policy.hpp may choose exist for every operation; the rest of the launch sweep
// exists for one.
template <core::Op op, core::ByteOrder words>
Kernel kernel_of(const BlowfishShape& shape) {
  if (shape.vectors == 2 && !shape.prefetch)
    return shape.replicated ? blowfish_kernel<op, words, true, 2, false>
                            : blowfish_kernel<op, words, false, 2, false>;
  if constexpr (op == core::Op::ecb_encrypt && words == core::ByteOrder::big) {
    if (!shape.replicated) return nullptr;
    if (shape.vectors == 1) return blowfish_kernel<op, words, true, 1, false>;
    if (shape.vectors == 4) return blowfish_kernel<op, words, true, 4, false>;
    if (shape.vectors == 2) return blowfish_kernel<op, words, true, 2, true>;
  }
  return nullptr;
}

template <core::ByteOrder words>
Kernel kernel_of(core::Op op, const BlowfishShape& shape) {
  switch (op) {
    case core::Op::ecb_encrypt:
      return kernel_of<core::Op::ecb_encrypt, words>(shape);
    case core::Op::ecb_decrypt:
      return kernel_of<core::Op::ecb_decrypt, words>(shape);
    case core::Op::ctr:
      return kernel_of<core::Op::ctr, words>(shape);
    case core::Op::cbc_decrypt:
      return kernel_of<core::Op::cbc_decrypt, words>(shape);
    case core::Op::cfb_decrypt:
      return kernel_of<core::Op::cfb_decrypt, words>(shape);
  }
  return nullptr;
}

Kernel kernel_of(core::Op op, core::ByteOrder words, const BlowfishShape& shape) {
  return words == core::ByteOrder::big ? kernel_of<core::ByteOrder::big>(op, shape)
                                       : kernel_of<core::ByteOrder::little>(op, shape);
}

cudaError_t launch_save_chain(const BlowfishArguments& arguments, const BlowfishShape& shape,
                              cudaStream_t stream) {
  const auto thread_blocks = static_cast<unsigned>(shape.thread_blocks);
  constexpr unsigned threads = 128;
  save_chain_kernel<<<(thread_blocks + threads - 1) / threads, threads, 0, stream>>>(
      arguments, unit_blocks(shape), thread_blocks);
  return cudaGetLastError();
}

}  // namespace

int prepare_blowfish(core::Op op, core::ByteOrder words, const BlowfishShape& shape) noexcept {
  const Kernel kernel = kernel_of(op, words, shape);
  if (kernel == nullptr) return cudaErrorInvalidValue;
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              static_cast<int>(table_bytes(shape)));
}

int launch_blowfish(core::Op op, core::ByteOrder words, BlowfishArguments arguments,
                    const BlowfishShape& shape, CUstream_st* stream) noexcept {
  lay_out(arguments, shape);
  if (arguments.units == 0) return cudaSuccess;
  const Kernel kernel = kernel_of(op, words, shape);
  if (kernel == nullptr) return cudaErrorInvalidValue;
  if (is_chained(op)) {
    const cudaError_t status = launch_save_chain(arguments, shape, stream);
    if (status != cudaSuccess) return status;
  }
  kernel<<<static_cast<unsigned>(shape.thread_blocks), static_cast<unsigned>(shape.threads_per_block),
           table_bytes(shape), stream>>>(arguments);
  return cudaGetLastError();
}

}  // namespace fugu::kernels
