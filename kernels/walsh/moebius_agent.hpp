// The Moebius transform of a packed truth table, on tiles of the Walsh transform's agents, and the degree of
// the resulting algebraic normal form.
//
// Bit b of word i is the coefficient of the monomial whose variables are the ones of 32 i + b. The stages of
// the five low bits of that index are computed within each word, the others between words.
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/walsh/walsh_agent.hpp"

namespace fugu::kernels {

// 32 values of the field F_2, whose butterfly is (a, b) <- (a, a + b).
struct Parity {
  std::uint32_t bits;
  friend bool operator==(const Parity&, const Parity&) = default;
};

FUGU_HD void butterfly(Parity& a, Parity& b) {
  b.bits ^= a.bits;
}

FUGU_HD Parity parity_of_word(std::uint32_t word) {
  word ^= (word & 0x55555555u) << 1;
  word ^= (word & 0x33333333u) << 2;
  word ^= (word & 0x0f0f0f0fu) << 4;
  word ^= (word & 0x00ff00ffu) << 8;
  word ^= word << 16;
  return {word};
}

// Reads a truth table, for the first pass.
struct ParitySource {
  const std::uint32_t* words;
  FUGU_HD Parity operator()(std::uint64_t start, std::uint64_t beyond) const {
    return parity_of_word(words[start + beyond]);
  }
};

FUGU_HD int ones(std::uint64_t x) {
#if defined(__CUDA_ARCH__)
  return __popcll(x);
#else
  return std::popcount(x);
#endif
}

// Returns the bits of a word whose indices have `weight` ones.
FUGU_HD constexpr std::uint32_t bits_of_weight(int weight) {
  constexpr std::uint32_t kBits[6] = {0x00000001u, 0x00010116u, 0x01161668u,
                                      0x16686880u, 0x68808000u, 0x80000000u};
  return kBits[weight];
}

// Returns 1 + the degree of the terms in a word, or 0 if there are none. `used` has the bits that are
// coefficients.
FUGU_HD std::uint32_t degree_and_one(std::uint64_t word_index, Parity terms, std::uint32_t used) {
  const std::uint32_t bits = terms.bits & used;
  if (bits == 0) return 0;
  int weight = 5;
  while ((bits & bits_of_weight(weight)) == 0) --weight;
  return static_cast<std::uint32_t>(ones(word_index) + weight + 1);
}

}  // namespace fugu::kernels
