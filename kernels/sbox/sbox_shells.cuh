// Common parts of the shells of the S-box kernels.
#pragma once

#include <cuda_fp16.h>

#include "kernels/sbox/row_agent.hpp"

namespace fugu::kernels {

template <class Shared>
__device__ Shared& shared_of() {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  return *reinterpret_cast<Shared*>(shared_bytes);
}

__device__ inline void clear(std::uint32_t* words, unsigned count) {
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) words[i] = 0;
}

__device__ inline void add_to(std::uint64_t* counter, std::uint64_t count) {
  atomicAdd(reinterpret_cast<unsigned long long*>(counter), static_cast<unsigned long long>(count));
}

// Combines the values of all lanes of a warp. From compute capability 8.0 on, one instruction does.
template <class Combine>
__device__ std::uint32_t combine_in_warp(std::uint32_t value, const Combine& combine) {
  for (int distance = 16; distance != 0; distance /= 2)
    value = combine(value, __shfl_xor_sync(~0u, value, distance));
  return value;
}
__device__ inline std::uint32_t warp_maximum(std::uint32_t value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(~0u, value);
#else
  return combine_in_warp(value, [](std::uint32_t a, std::uint32_t b) { return a > b ? a : b; });
#endif
}
__device__ inline std::uint32_t warp_minimum(std::uint32_t value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(~0u, value);
#else
  return combine_in_warp(value, [](std::uint32_t a, std::uint32_t b) { return a < b ? a : b; });
#endif
}
__device__ inline std::uint32_t warp_sum(std::uint32_t value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(~0u, value);
#else
  return combine_in_warp(value, [](std::uint32_t a, std::uint32_t b) { return a + b; });
#endif
}

__device__ inline std::uint32_t warp_or(std::uint32_t value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(~0u, value);
#else
  return combine_in_warp(value, [](std::uint32_t a, std::uint32_t b) { return a | b; });
#endif
}

// A block's counts of the entries of a table by their number of pairs.
struct EntryCounts {
  std::uint32_t near[kNearPairs + 1];

  __device__ void clear() { kernels::clear(near, kNearPairs + 1); }

  __device__ void count(std::uint32_t pairs, std::uint64_t* counts) {
    if (pairs <= kNearPairs) {
      atomicAdd(&near[pairs], 1u);
    } else {
      add_to(counts + pairs, 1);
    }
  }

  __device__ void add(const PairTally& tally) {
    for (unsigned i = 0; i < 3; ++i) {
      const std::uint32_t found = warp_sum(tally.found[i]);
      if (threadIdx.x % 32 == 0 && found != 0) atomicAdd(&near[i + 1], found);
    }
  }

  // Call after a barrier.
  __device__ void flush(std::uint64_t* counts) const {
    for (std::uint32_t pairs = 1 + threadIdx.x; pairs <= kNearPairs; pairs += blockDim.x) {
      if (near[pairs] != 0) add_to(counts + pairs, near[pairs]);
    }
  }
};

// Launches one block per item, at most as many as the device runs at a time.
template <class Argument>
int launch_filling(void (*kernel)(Argument), unsigned threads, std::size_t shared_bytes, std::uint64_t items,
                   const Argument& argument, CUstream_st* stream) {
  int device = 0, multiprocessors = 0, blocks_each = 0;
  int status = cudaGetDevice(&device);
  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (status == cudaSuccess)
    status = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(shared_bytes));
  if (status == cudaSuccess)
    status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_each, kernel, static_cast<int>(threads),
                                                           shared_bytes);
  if (status != cudaSuccess) return status;
  if (blocks_each == 0) return cudaErrorInvalidConfiguration;
  const auto most = static_cast<std::uint64_t>(multiprocessors) * static_cast<unsigned>(blocks_each);
  kernel<<<static_cast<unsigned>(items < most ? items : most), threads, shared_bytes, stream>>>(argument);
  return cudaGetLastError();
}

// The Pair of profile_agent.hpp: two 16-bit floating-point numbers, which hold integers of at most 2^11 in
// magnitude exactly.
struct HalfPair {
  __half2 value;

  HalfPair() = default;
  __device__ explicit HalfPair(__half2 pair) : value(pair) {}
  __device__ HalfPair(int low, int high) : value(__floats2half2_rn(low, high)) {}

  __device__ HalfPair operator+(HalfPair other) const { return HalfPair(__hadd2(value, other.value)); }
  __device__ HalfPair operator-(HalfPair other) const { return HalfPair(__hsub2(value, other.value)); }
  __device__ HalfPair magnitudes_with(HalfPair other) const {
    return HalfPair(__hadd2(__habs2(value), __habs2(other.value)));
  }
  __device__ HalfPair larger(HalfPair other) const { return HalfPair(__hmax2(value, other.value)); }
  __device__ int largest() const { return __half2int_rn(__hmax(__low2half(value), __high2half(value))); }
};

// Counters of W / 2 below kNearHalf in magnitude, in a block's shared memory. By Parseval's equation at most
// 2^(2n) / (2 kNearHalf)^2 values of a component are larger; these are counted directly in device memory.
class HalfCounters {
 public:
  __device__ void clear() { kernels::clear(near_, kNearPlaces + 1); }

  // W / 2 = `half` is counted in two calls, so that the call for all values has no branch: after a branch,
  // the compiler computes the address of the shared memory again. `zero` is the counter of 0 in device
  // memory.
  __device__ void count_near(std::int32_t half) {
    const std::uint32_t place = near_place(half);
    atomicAdd(&near_[place < kNearPlaces ? near_index(place) : kNearPlaces], 1u);
  }
  __device__ static void count_far(std::int32_t half, std::uint64_t* zero) {
    if (near_place(half) >= kNearPlaces) add_to(zero + half, 1);
  }

  // Adds 1 to two counters, whose offsets in bytes share a word.
  __device__ void count_two(std::uint32_t offsets) {
    atomicAdd(at(offsets & 0xffffu), 1u);
    atomicAdd(at(offsets >> 16), 1u);
  }

  // Returns the count of `half`, which is below kNearHalf in magnitude.
  __device__ std::uint32_t counted(std::int32_t half) const { return near_[near_index(near_place(half))]; }

  // Adds the counters to those in device memory. Call after a barrier.
  __device__ void flush(std::uint64_t* zero) const {
    for (std::uint32_t place = threadIdx.x; place < kNearPlaces; place += blockDim.x) {
      const std::uint32_t count = near_[near_index(place)];
      if (count != 0) add_to(zero + static_cast<std::int32_t>(place) - kNearHalf, count);
    }
  }

 private:
  __device__ std::uint32_t* at(std::uint32_t offset) {
    return reinterpret_cast<std::uint32_t*>(reinterpret_cast<unsigned char*>(near_) + offset);
  }

  std::uint32_t near_[kNearPlaces + 1];  // the last one collects far values
};

}  // namespace fugu::kernels
