// Two 16-bit floating-point numbers as a value that the butterflies take.
#pragma once

#include "kernels/sbox/half_words.hpp"

namespace fugu::kernels {

struct Halves {
  std::uint32_t bits;

  FUGU_HD friend Halves operator+(Halves a, Halves b) { return Halves{add_halves(a.bits, b.bits)}; }
  FUGU_HD friend Halves operator-(Halves a, Halves b) { return Halves{subtract_halves(a.bits, b.bits)}; }
};

// Whether both are below 2048 in magnitude, where every integer is exact. Infinity is not, nor what is no
// number.
FUGU_HD bool below_2048(std::uint32_t halves) {
  constexpr std::uint32_t k2048 = 0x6800;
  return (halves & 0x7fff) < k2048 && (halves >> 16 & 0x7fff) < k2048;
}

}  // namespace fugu::kernels
