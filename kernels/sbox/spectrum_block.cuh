// A block that evaluates spectra, or rows of spectra, one after the other.
#pragma once

#include "kernels/sbox/half_counters.cuh"
#include "kernels/sbox/sbox_launch.hpp"
#include "kernels/sbox/sbox_shells.cuh"

namespace fugu::kernels {

template <class Thread>
class SpectrumBlock {
 public:
  struct Shared {
    std::int32_t tile[Thread::Tile::kSharedValues];
    HalfCounters counters;
    ComponentFindings findings[2];  // about the current values and about the next ones
    std::uint32_t largest;          // max |W| / 2 of all previous values
  };

  // `zero` is the counter of W = 0 in device memory.
  __device__ SpectrumBlock(Shared& shared, std::uint64_t* zero) : shared_(shared), zero_(zero) {
    shared_.counters.clear();
    if (threadIdx.x != 0) return;
    shared_.largest = 0;
    for (ComponentFindings& findings : shared_.findings) reset(findings);
  }

  // Evaluates the values that the threads have loaded. Thread 0 calls write(findings), in which `largest` is
  // max |W| / 2 and `first` is valid only if no earlier value was larger. Returns the least weight if it is
  // below `known`, otherwise some value that is not.
  template <class Write>
  __device__ std::uint32_t take(Thread& thread, std::uint32_t known, const Write& write) {
    thread.template step<0>(shared_.tile);
    __syncwarp();  // the first two windows of a warp share their words
    thread.template step<1>(shared_.tile);
    const std::uint32_t zeros = threadIdx.x == 0 ? shared_.counters.counted(0) : 0;
    __syncthreads();
    const std::uint32_t before = shared_.largest;
    thread.template step<2>(shared_.tile);
    ComponentFindings& found = shared_.findings[turn_];
    const std::uint32_t mine =
        thread.find([&](std::uint32_t offsets) { shared_.counters.count_two(offsets & Thread::kOffsets); },
                    [&](std::int32_t half) { shared_.counters.count(half, zero_); });
    const std::uint32_t largest = warp_maximum(mine);
    if (threadIdx.x % 32 == 0) atomicMax(&found.largest, largest);
    const std::uint32_t least = thread.least_weight();
    const bool light = __syncthreads_or(least < known && thread.has_least_weight()) != 0;
    std::uint32_t lightest = light ? least : kNoWeight;
    const bool is_largest = found.largest >= before, is_open = !light && least < known;
    if (is_largest || is_open) {
      if (is_largest && mine == found.largest) atomicMin(&found.first, thread.first_place(mine));
      if (is_open) atomicMin(&found.lightest, thread.lightest());
      __syncthreads();
      if (is_open) lightest = found.lightest;
    }
    if (threadIdx.x == 0) {
      const std::uint32_t nonzero = 2 * Thread::kTop - (shared_.counters.counted(0) - zeros);
      write(ComponentFindings{found.largest, found.first, nonzero, lightest, thread.balanced() ? 1u : 0u});
      if (is_largest) shared_.largest = found.largest;
      reset(shared_.findings[turn_ ^ 1]);
    }
    turn_ ^= 1;
    return lightest;
  }

  __device__ void finish() const {
    __syncthreads();
    shared_.counters.flush(zero_);
  }

 private:
  __device__ static void reset(ComponentFindings& findings) { findings = {0, kNoInput, 0, kNoWeight, 0}; }

  Shared& shared_;
  std::uint64_t* zero_;
  unsigned turn_ = 0;
};

}  // namespace fugu::kernels
