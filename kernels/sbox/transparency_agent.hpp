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

// (-1)^beta_j for each j.
struct TransparencySigns {
  std::int32_t signs[kMostTransparencyOutputs];

  FUGU_HD explicit TransparencySigns(std::uint32_t beta) {
    FUGU_UNROLL
    for (unsigned j = 0; j < kMostTransparencyOutputs; ++j) signs[j] = (beta >> j & 1) != 0 ? -1 : 1;
  }

  // |sum over j of (-1)^beta_j r[j]|
  FUGU_HD std::uint32_t sum_of(const std::int32_t* r) const {
    std::int32_t sum = 0;
    FUGU_UNROLL
    for (unsigned j = 0; j < kMostTransparencyOutputs; ++j) sum += signs[j] * r[j];
    return magnitude(sum);
  }
};

}  // namespace fugu::kernels
