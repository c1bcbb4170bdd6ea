// Counters of W / 2 in a block's shared memory, for those below kNearHalf; by Parseval few values of a
// component lie beyond, 2^(2n) / (2 kNearHalf)^2 at most, which are counted in the device's memory at once.
#pragma once

#include "kernels/sbox/sbox_shells.cuh"

namespace fugu::kernels {

inline constexpr std::int32_t kNearHalf = 4096;

class HalfCounters {
 public:
  __device__ void clear() { kernels::clear(near_, 2 * kNearHalf); }

  // `zero`: the device's counter of 0. The W of a component leave one remainder modulo 4: even and odd halves
  // are counted apart, so that neighbours lie in different banks.
  __device__ void count(std::int32_t half, std::uint64_t* zero) {
    const auto at = static_cast<std::uint32_t>(half + kNearHalf);
    if (at < 2 * kNearHalf) {
      atomicAdd(&near_[at / 2 + at % 2 * kNearHalf], 1u);
    } else {
      add_to(zero + half, 1);
    }
  }

  // After a barrier.
  __device__ void flush(std::uint64_t* zero) const {
    for (auto i = static_cast<std::int32_t>(threadIdx.x); i < 2 * kNearHalf;
         i += static_cast<std::int32_t>(blockDim.x)) {
      const std::int32_t half = i % kNearHalf * 2 + i / kNearHalf - kNearHalf;
      if (near_[i] != 0) add_to(zero + half, near_[i]);
    }
  }

 private:
  std::uint32_t near_[2 * kNearHalf];
};

}  // namespace fugu::kernels
