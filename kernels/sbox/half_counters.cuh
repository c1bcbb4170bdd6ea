// Counters of W / 2 below kNearHalf in magnitude, in a block's shared memory. By Parseval's equation at most
// 2^(2n) / (2 kNearHalf)^2 values of a component are larger; these are counted directly in device memory.
#pragma once

#include "kernels/sbox/half_places.hpp"
#include "kernels/sbox/sbox_shells.cuh"

namespace fugu::kernels {

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
