// The sums in Prouff's transparency order (src/fugu/spectral/sbox/transparency.hpp).
#pragma once

#include "kernels/sbox/packed.hpp"
#include "kernels/sbox/sbox_launch.hpp"

namespace fugu::kernels {

// Moves bit i ^ a of `word` to bit i; a is below 32.
FUGU_HD std::uint32_t translated(std::uint32_t word, std::uint32_t a) {
  constexpr std::uint32_t kLower[] = {0x55555555u, 0x33333333u, 0x0f0f0f0fu, 0x00ff00ffu, 0x0000ffffu};
  FUGU_UNROLL
  for (unsigned k = 0; k < 5; ++k) {
    const unsigned step = 1u << k;
    if ((a >> k & 1) != 0) word = (word & kLower[k]) << step | (word >> step & kLower[k]);
  }
  return word;
}

// #{x: f(x) != f(x + a)} of a truth table's words first, first + step, ...
FUGU_HD std::uint32_t changes_of(const std::uint32_t* table, std::uint32_t words, std::uint32_t a,
                                 std::uint32_t first, std::uint32_t step) {
  std::uint32_t changes = 0;
  for (std::uint32_t w = first; w < words; w += step)
    changes += static_cast<std::uint32_t>(ones(table[w] ^ translated(table[w ^ a / 32], a % 32)));
  return changes;
}

// The four beta from 4 quad on, which have the terms of all j but 0 and 1 in common.
class TransparencyQuad {
 public:
  FUGU_HD explicit TransparencyQuad(std::uint32_t quad) {
    FUGU_UNROLL
    for (unsigned j = 2; j < kMostTransparencyOutputs; ++j)
      signs_[j - 2] = (quad >> (j - 2) & 1) != 0 ? -1 : 1;
  }

  // Adds |sum over j of (-1)^beta_j r[j]| of beta = 4 quad + i to sums[i].
  FUGU_HD void add(const std::int32_t* r, std::uint32_t* sums) const {
    std::int32_t common = 0;
    FUGU_UNROLL
    for (unsigned j = 2; j < kMostTransparencyOutputs; ++j) common += signs_[j - 2] * r[j];
    const std::int32_t sum = r[0] + r[1], difference = r[0] - r[1];
    sums[0] += magnitude(common + sum);
    sums[1] += magnitude(common - difference);
    sums[2] += magnitude(common + difference);
    sums[3] += magnitude(common - sum);
  }

 private:
  std::int32_t signs_[kMostTransparencyOutputs - 2];
};

}  // namespace fugu::kernels
