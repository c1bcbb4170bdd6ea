// Counters of W / 2 in a block's shared memory, for those below kNearHalf; by Parseval few values of a
// component lie beyond, 2^(2n) / (2 kNearHalf)^2 at most, which are counted in the device's memory at once.
#pragma once

#include "kernels/sbox/half_places.hpp"
#include "kernels/sbox/sbox_shells.cuh"

namespace fugu::kernels {

class HalfCounters {
 public:
  __device__ void clear() { kernels::clear(near_, kSize); }

  // `zero`: the device's counter of 0.
  __device__ void count(std::int32_t half, std::uint64_t* zero) {
    if (near_place(half) < kNearPlaces) {
      atomicAdd(&near_[near_index(near_place(half))], 1u);
    } else {
      add_to(zero + half, 1);
    }
  }

  // The same in two calls, so that the one for all values has no branch: after one, the compiler asks the
  // chip anew where the shared memory is.
  __device__ void count_near(std::int32_t half) {
    const std::uint32_t place = near_place(half);
    atomicAdd(&near_[place < kNearPlaces ? near_index(place) : kNearPlaces], 1u);
  }
  __device__ static void count_far(std::int32_t half, std::uint64_t* zero) {
    if (near_place(half) >= kNearPlaces) add_to(zero + half, 1);
  }

  // Counts at two counters, whose offsets in bytes share a word.
  __device__ void count_two(std::uint32_t offsets) {
    atomicAdd(at(offsets & 0xffffu), 1u);
    atomicAdd(at(offsets >> 16), 1u);
  }

  // What was counted near.
  __device__ std::uint32_t counted(std::int32_t half) const { return near_[near_index(near_place(half))]; }

  // After a barrier.
  __device__ void flush(std::uint64_t* zero) const {
    for (std::uint32_t place = threadIdx.x; place < kNearPlaces; place += blockDim.x) {
      const std::uint32_t count = near_[near_index(place)];
      if (count != 0) add_to(zero + static_cast<std::int32_t>(place) - kNearHalf, count);
    }
  }

 private:
  static constexpr std::uint32_t kSize = kNearPlaces + 1;  // the last for what is far

  __device__ std::uint32_t* at(std::uint32_t offset) {
    return reinterpret_cast<std::uint32_t*>(reinterpret_cast<unsigned char*>(near_) + offset);
  }

  std::uint32_t near_[kSize];
};

}  // namespace fugu::kernels
