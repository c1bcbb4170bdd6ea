// A histogram of counters most of which are small.
#pragma once

#include "kernels/sbox/packed.hpp"

namespace fugu::kernels {

// One thread's tallies of the counters that hold 1 to kFew. Larger counters are passed to visit().
class FewPairs {
 public:
  static constexpr std::uint32_t kFew = 7;

  // Adds `count` words of eight four-bit counters.
  template <unsigned count, class Visit>
  FUGU_HD void add(const std::uint32_t (&words)[count], const Visit& visit) {
    static_assert(count % 4 == 0);
    std::uint32_t many = 0;
    FUGU_UNROLL
    for (unsigned first = 0; first < count; first += 4) {
      const std::uint32_t four[4] = {words[first], words[first + 1], words[first + 2], words[first + 3]};
      std::uint32_t bits[4];  // bit i of 32 counters
      transpose_nibbles(four, bits);
      const std::uint32_t below4 = ~bits[2] & ~bits[3], below8 = bits[2] & ~bits[3];
      add(0, bits[0] & ~bits[1] & below4, ~bits[0] & bits[1] & below4);
      add(1, bits[0] & bits[1] & below4, ~bits[0] & ~bits[1] & below8);
      add(2, bits[0] & ~bits[1] & below8, ~bits[0] & bits[1] & below8);
      add(3, bits[0] & bits[1] & below8, 0);
      many |= bits[3];
    }
    if (many == 0) return;
    FUGU_UNROLL
    for (const std::uint32_t word : words) {
      for (unsigned i = 0; i < 32; i += 4) {
        if ((word >> i & 8) != 0) visit(word >> i & 15);
      }
    }
  }

  // Adds 64 16-bit counters, two per word.
  template <class Visit>
  FUGU_HD void add(const std::int32_t (&pairs)[32], const Visit& visit) {
    std::uint32_t bits = 0;
    FUGU_UNROLL
    for (const std::int32_t two : pairs) bits |= static_cast<std::uint32_t>(two);
    if ((bits & 0xfff0fff0u) == 0) {
      std::uint32_t words[8];
      FUGU_UNROLL
      for (unsigned i = 0; i < 8; ++i) {
        words[i] = 0;
        FUGU_UNROLL
        for (unsigned j = 0; j < 4; ++j) words[i] |= static_cast<std::uint32_t>(pairs[4 * i + j]) << (4 * j);
      }
      return add(words, visit);
    }
    FUGU_UNROLL
    for (const std::int32_t two : pairs) {
      const auto word = static_cast<std::uint32_t>(two);
      if ((word & 0xffffu) != 0) visit(word & 0xffffu);
      if (word >> 16 != 0) visit(word >> 16);
    }
  }

  // Word i holds the tallies of 2 i + 1 and 2 i + 2, 16 bits each. At most 2^16 - 1 may be added to each.
  static constexpr unsigned kWords = (kFew + 1) / 2;
  std::uint32_t tallies[kWords] = {};

 private:
  FUGU_HD void add(unsigned word, std::uint32_t odd, std::uint32_t even) {
    tallies[word] += static_cast<std::uint32_t>(ones(odd)) + (static_cast<std::uint32_t>(ones(even)) << 16);
  }
};

}  // namespace fugu::kernels
