// Adds up the counters of blocks.
#pragma once

#include <cstdint>

#include "fugu/core/hd.hpp"

namespace fugu::kernels {

// Adds the counters of all blocks up, kCounters per block of kThreads. Rows have `pairs` words with two
// 16-bit counters each, and so has the sum; a thread adds up one word of some rows. A sum exceeds 16 bits if
// many values are equal.
struct CounterSums {
  static constexpr unsigned kPairs = 64, kCounters = 2 * kPairs;
  static constexpr int kThreads = 1024;
  static constexpr unsigned kGroups = kThreads / kPairs;

  std::uint32_t first = 0, second = 0;

  FUGU_HD void add(const std::uint32_t* rows, std::uint32_t row_count, std::uint32_t pairs, unsigned block,
                   unsigned thread) {
    const std::uint32_t* from = rows + block * kPairs + thread % kPairs;
    constexpr std::uint32_t kAtOnce = 9;  // 132 rows at most are asked for at the same time
    for (std::uint32_t row = thread / kPairs; row < row_count; row += kAtOnce * kGroups) {
      std::uint32_t words[kAtOnce];
      FUGU_UNROLL
      for (std::uint32_t i = 0; i < kAtOnce; ++i)
        words[i] = row + i * kGroups < row_count ? from[(row + i * kGroups) * pairs] : 0;
      FUGU_UNROLL
      for (const std::uint32_t pair : words) {
        first += pair & 0xffff;
        second += pair >> 16;
      }
    }
  }

  FUGU_HD void put(std::uint32_t* shared, unsigned thread) const {
    shared[thread] = first;
    shared[kThreads + thread] = second;
  }

  // Computes word `thread` of the block's sum. Returns whether it fits 16-bit counters.
  FUGU_HD static bool sum(const std::uint32_t* shared, unsigned thread, std::uint32_t& pair) {
    std::uint32_t first = 0, second = 0;
    FUGU_UNROLL
    for (unsigned group = 0; group < kGroups; ++group) {
      first += shared[group * kPairs + thread];
      second += shared[kThreads + group * kPairs + thread];
    }
    pair = first | second << 16;
    return (first | second) >> 16 == 0;
  }
};

}  // namespace fugu::kernels
