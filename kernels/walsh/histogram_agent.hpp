// Counting the values of a spectrum: in a block's shared memory, two 16-bit counters to a word, and from
// there into the device's 32-bit counters.
#pragma once

#include <cstdint>

#include "fugu/core/hd.hpp"
#include "kernels/spectral_launch.hpp"

namespace fugu::kernels {

// The counters of a block, of the quotients -half to half - 1. `words`: half of them.
struct PackedCounters {
  std::uint32_t* words;
  std::int32_t half;

  // A counter that comes to this gives as many away. Threads that count between the two steps cannot carry it
  // into its neighbour, which 2^15 of them would have to do.
  static constexpr std::uint32_t kFull = 0x8000;

  FUGU_HD bool has(std::int32_t quotient) const { return quotient >= -half && quotient < half; }

  // add(word, increment) returns what was there, indivisibly; give(quotient, count) adds to the device's
  // counters.
  template <class Add, class Give>
  FUGU_HD void count(std::int32_t quotient, const Add& add, const Give& give) const {
    const std::uint32_t index = static_cast<std::uint32_t>(quotient + half);
    const unsigned shift = index % 2 * 16;
    std::uint32_t* word = words + index / 2;
    const std::uint32_t before = add(word, 1u << shift);
    if ((before >> shift & 0xffff) != kFull - 1) return;
    add(word, 0u - (kFull << shift));
    give(quotient, kFull);
  }

  // Gives away the two counters of a word.
  template <class Give>
  FUGU_HD void give_word(std::int32_t index, const Give& give) const {
    const std::uint32_t word = words[index];
    if ((word & 0xffff) != 0) give(2 * index - half, word & 0xffff);
    if (word >> 16 != 0) give(2 * index + 1 - half, word >> 16);
  }
};

}  // namespace fugu::kernels
