// A last pass that gathers the largest magnitude instead of writing values.
#pragma once

#include "kernels/walsh/walsh_shells.cuh"

namespace fugu::kernels {

__device__ inline unsigned thread_of_block() {
  return threadIdx.y * blockDim.x + threadIdx.x;
}
__device__ inline unsigned threads_of_block() {
  return blockDim.x * blockDim.y;
}

__device__ inline std::uint32_t largest_of_warp(std::uint32_t largest) {
  for (int distance = 16; distance != 0; distance /= 2) {
    const std::uint32_t other = __shfl_xor_sync(0xffffffffu, largest, distance);
    largest = other > largest ? other : largest;
  }
  return largest;
}

// Gathers max |W|.
struct MaximumSink {
  SpectrumStatistics statistics;
  std::uint32_t largest;

  __device__ void begin() { largest = 0; }

  __device__ void operator()(std::uint64_t, std::int32_t value) {
    const std::uint32_t magnitude =
        value < 0 ? 0u - static_cast<std::uint32_t>(value) : static_cast<std::uint32_t>(value);
    largest = magnitude > largest ? magnitude : largest;
  }

  __device__ void end() {
    largest = largest_of_warp(largest);
    // Most warps need no atomic operation.
    if (threadIdx.x % 32 == 0 && largest > __ldcg(statistics.max_abs)) atomicMax(statistics.max_abs, largest);
    if (statistics.answer != nullptr) answer_last();
  }

  // The last block to call this sees the results of all.
  __device__ void answer_last() {
    __syncthreads();
    bool last = false;
    if (thread_of_block() == 0) {
      __threadfence();
      last = atomicAdd(statistics.finished, 1u) == gridDim.x - 1;
      __threadfence();
    }
    if (!last) return;
    *statistics.answer = __ldcg(statistics.max_abs);
    __threadfence_system();
  }
};

// One tile per block: a sink without counters in shared memory keeps nothing for the next tile.
template <class Work>
struct GatheredOnce : Work {
  __device__ void operator()(std::uint64_t number) {
    this->sink.begin();
    Work::operator()(number);
    this->sink.end();
  }
};

}  // namespace fugu::kernels
