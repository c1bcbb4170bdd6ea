// Two 16-bit floating-point numbers in one word, a value type of the butterflies.
#pragma once

#include "kernels/sbox/half_words.hpp"

namespace fugu::kernels {

struct Halves {
  std::uint32_t bits;

  FUGU_HD friend Halves operator+(Halves a, Halves b) { return Halves{add_halves(a.bits, b.bits)}; }
  FUGU_HD friend Halves operator-(Halves a, Halves b) { return Halves{subtract_halves(a.bits, b.bits)}; }
};

// Returns whether both are below 2048 in magnitude, where every integer is exact. Infinity and NaN are not.
FUGU_HD bool below_2048(std::uint32_t halves) {
  constexpr std::uint32_t k2048 = 0x6800;
  return (halves & 0x7fff) < k2048 && (halves >> 16 & 0x7fff) < k2048;
}

}  // namespace fugu::kernels
