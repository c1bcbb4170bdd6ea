// Counters of W / 2 in a block's shared memory, for those below kNearHalf; by Parseval few values of a
// component lie beyond, 2^(2n) / (2 kNearHalf)^2 at most, which are counted in the device's memory at once.
#pragma once

#include "kernels/sbox/sbox_shells.cuh"

namespace fugu::kernels {

inline constexpr std::int32_t kNearHalf = 4096;

class HalfCounters {
 public:
  __device__ void clear() { kernels::clear(near_, kSize); }

  // `zero`: the device's counter of 0.
  __device__ void count(std::int32_t half, std::uint64_t* zero) {
    if (place_of(half) < kPlaces) {
      atomicAdd(&near_[index_of(place_of(half))], 1u);
    } else {
      add_to(zero + half, 1);
    }
  }

  // The same in two calls, so that the one for all values has no branch: after one, the compiler asks the
  // chip anew where the shared memory is.
  __device__ void count_near(std::int32_t half) {
    const std::uint32_t place = place_of(half);
    atomicAdd(&near_[index_of(place < kPlaces ? place : kPlaces)], 1u);
  }
  __device__ static void count_far(std::int32_t half, std::uint64_t* zero) {
    if (place_of(half) >= kPlaces) add_to(zero + half, 1);
  }

  // After a barrier.
  __device__ void flush(std::uint64_t* zero) const {
    for (std::uint32_t place = threadIdx.x; place < kPlaces; place += blockDim.x) {
      const std::uint32_t count = near_[index_of(place)];
      if (count != 0) add_to(zero + static_cast<std::int32_t>(place) - kNearHalf, count);
    }
  }

 private:
  static constexpr std::uint32_t kPlaces = 2 * kNearHalf;  // and one for what is far
  static constexpr std::uint32_t kSize = kPlaces + 1;

  __device__ static std::uint32_t place_of(std::int32_t half) {
    return static_cast<std::uint32_t>(half + kNearHalf);
  }
  // The W of a component leave one remainder modulo 4: even and odd halves are counted apart, so that
  // neighbours lie in different banks.
  __device__ static std::uint32_t index_of(std::uint32_t place) {
    return place / 2 + place % 2 * (kPlaces / 2 + 1);
  }

  std::uint32_t near_[kSize];
};

}  // namespace fugu::kernels
