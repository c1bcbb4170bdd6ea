// An S-box as a polynomial over a finite field.
#pragma once

#include <cstdint>
#include <vector>

#include "fugu/export.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral {

inline constexpr int kMaxFieldBits = 12;

// Arithmetic in GF(2^n) modulo an irreducible polynomial: bit i of an element is the coefficient of X^i.
class FUGU_EXPORT BinaryField {
 public:
  // Throws Error{usage} for bits outside 1 to kMaxFieldBits and for a polynomial of another degree or a
  // reducible one.
  BinaryField(int bits, std::uint32_t polynomial);

  std::uint32_t product(std::uint32_t a, std::uint32_t b) const;
  std::uint32_t power(std::uint32_t a, std::uint64_t exponent) const;

 private:
  std::vector<std::uint32_t> logs_;    // to the base of a generator; [0] has none
  std::vector<std::uint32_t> powers_;  // of the generator
};

// The coefficients c of S(x) = sum over k of c[k] x^k, k < 2^n. Throws Error{usage} unless n = m.
FUGU_EXPORT std::vector<std::uint32_t> univariate(const SBox& box, const BinaryField& field);

}  // namespace fugu::spectral
