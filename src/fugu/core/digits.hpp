// Digit dot products over a finite Abelian group C_q1 x ... x C_qm: the exponents of its characters.
//
// An index is read as mixed-radix digits, the digit of q1 being the most significant (Kronecker,
// lexicographic order). With L the least common multiple of the q_s, chi_w(z) = exp(2 pi i e / L) where
//   e = sum over s of w_s z_s L / q_s  modulo L.
#pragma once

#include <cstdint>

#include "fugu/core/hd.hpp"

namespace fugu::core {

inline constexpr int kMaxFactors = 32;

// A group in the form the inner loops use. `weight[s]` is L / q_s.
struct DigitSystem {
  std::uint32_t modulus = 1;  // L
  int factors = 0;            // m
  std::uint32_t radix[kMaxFactors]{};
  std::uint32_t weight[kMaxFactors]{};
};

// Writes w_s L / q_s for the digits of row `w`, the factors of the column digits. `reversed` reads w's digits
// in reverse, so that the least significant one belongs to q1 (equation (1) of the 2012 paper).
FUGU_HD void row_weights(const DigitSystem& group, std::uint64_t w, bool reversed, std::uint32_t* weights) {
  for (int k = 0; k < group.factors; ++k) {
    const int s = reversed ? k : group.factors - 1 - k;
    weights[s] = static_cast<std::uint32_t>(w % group.radix[s]) * group.weight[s];
    w /= group.radix[s];
  }
}

// The exponent e of column `z` from factors [first, last); z is an index within these factors only.
FUGU_HD std::uint32_t exponent_of(const DigitSystem& group, const std::uint32_t* weights, int first, int last,
                                  std::uint64_t z) {
  std::uint64_t e = 0;
  for (int s = last - 1; s >= first; --s) {
    e += (z % group.radix[s]) * weights[s];
    z /= group.radix[s];
  }
  return static_cast<std::uint32_t>(e % group.modulus);
}

}  // namespace fugu::core
