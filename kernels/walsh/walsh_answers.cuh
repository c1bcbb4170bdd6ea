// Sinks that answer the host directly: each block writes what it found, and the host waits for the words.
#pragma once

#include "kernels/walsh/matrix_agent.hpp"
#include "kernels/walsh/walsh_histogram.cuh"

namespace fugu::kernels {

// Writes max |W| of a block, or kLostValues, to the word for which the host waits.
struct AnswerSink {
  static constexpr float kShift = 0;

  std::uint32_t* answers;
  float largest;  // |Y|, or NaN if a value was lost

  __device__ void begin() { largest = 0; }
  [[maybe_unused]] __device__ void take(const BeforeLastStage& values) {
    largest = larger_or_none(largest, values.largest());
  }
  __device__ void lose() { largest = __builtin_nanf(""); }
  __device__ void end() const { answer(static_cast<std::uint32_t>(largest)); }

 protected:
  // `most` is |Y|.
  __device__ void answer(std::uint32_t most) const {
    __shared__ std::uint32_t of_warps[32];
    const std::uint32_t of_warp = largest_of_warp(largest == largest ? 2 * most : kLostValues);
    const unsigned thread = thread_of_block();
    if (thread % 32 == 0) of_warps[thread / 32] = of_warp;
    __syncthreads();
    if (thread >= 32) return;
    const std::uint32_t of_block = largest_of_warp(thread < threads_of_block() / 32 ? of_warps[thread] : 0);
    if (thread != 0) return;
    answers[blockIdx.x] = of_block;
  }
};

// Also counts in shared memory, behind the tiles, and writes the counters to the block's row in the end.
// Values without a counter are lost, and so are those of a counter that exceeds 16 bits.
//
// All Y have the same remainder modulo 2. Of v = Y + 1/2, |v| - 1/2 is the counter of counter_of() if Y is
// even; if Y is odd, the two counters of a quotient are exchanged.
template <std::size_t tile_words>
struct CountingSink : AnswerSink {
  static constexpr float kShift = 0.5f;

  CounterRows rows;
  CounterAdder adder{};
  float some = kShift;

  __device__ BlockCounters<false> counters() const {
    return {shared_values<std::uint32_t>() + tile_words, 2 * rows.pairs};
  }

  __device__ void begin() {
    AnswerSink::begin();
    adder.set(counters().words);
    auto* fours = reinterpret_cast<uint4*>(counters().words);
    for (std::uint32_t i = thread_of_block(); i < rows.pairs / 2; i += threads_of_block()) fours[i] = uint4{};
    __syncthreads();
  }

  __device__ void take(const BeforeLastStage& values) {
    const float most = values.largest();
    largest = larger_or_none(largest, most);
    if (most < static_cast<float>(2 * rows.pairs)) {
      values.give([&](float v) { adder.add_magnitude(v); });
      some = values.first();
    } else {
      lose();
    }
  }

  __device__ void end() {
    const auto y = static_cast<std::int32_t>(some - kShift);
    const bool odd = __syncthreads_or(y & 1) != 0;
    const std::uint32_t halves = odd ? 0x1054 : 0x5410;
    const auto* fours = reinterpret_cast<const uint4*>(counters().words);
    auto* to = reinterpret_cast<uint2*>(rows.words + blockIdx.x * rows.pairs);
    std::uint32_t seen = 0;
    for (std::uint32_t i = thread_of_block(); i < rows.pairs / 2; i += threads_of_block()) {
      const uint4 four = fours[i];
      seen |= four.x | four.y | four.z | four.w;
      to[i] = {__byte_perm(four.x, four.y, halves), __byte_perm(four.z, four.w, halves)};
    }
    if (seen >> 16 != 0) lose();
    const auto counter = static_cast<std::uint32_t>(largest - kShift);
    answer(counter + ((counter ^ (odd ? 1 : 0)) & 1));
  }
};

// Counts in blocks of two groups. The second begins once the first counts: then one counts while the other
// multiplies.
template <std::size_t tile_words>
struct StaggeredSink : CountingSink<tile_words> {
  __device__ void begin() {
#if __CUDA_ARCH__ >= 900
    if (thread_of_block() == 0)
      asm volatile("mbarrier.init.shared.b64 [%0], 1;" : : "r"(barrier()) : "memory");
#endif
    CountingSink<tile_words>::begin();
  }

  __device__ static void start_second() {
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" : : "r"(barrier()) : "memory");
#endif
  }

  __device__ static void wait_for_first() {
#if __CUDA_ARCH__ >= 900
    int started = 0;
    while (started == 0) {
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"
                   : "=r"(started)
                   : "r"(barrier())
                   : "memory");
    }
#endif
  }

 private:
  __device__ static std::uint32_t barrier() {
    __shared__ std::uint64_t words;
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(&words));
  }
};

}  // namespace fugu::kernels
