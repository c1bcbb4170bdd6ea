// Polynomials over GF(2^n), and boxes as functions on that field: bit i of an element is the coefficient of
// X^i.
#pragma once

#include <optional>

#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral {

// Arithmetic modulo an irreducible polynomial.
class FUGU_EXPORT BinaryField {
 public:
  // Throws Error{usage} for bits outside 1 to kMaxInputs and for a polynomial of another degree or a
  // reducible one.
  BinaryField(int bits, std::uint32_t polynomial);

  int bits() const { return bits_; }
  std::uint32_t polynomial() const { return polynomial_; }
  std::uint32_t product(std::uint32_t a, std::uint32_t b) const;
  std::uint32_t power(std::uint32_t a, std::uint64_t exponent) const;

  // The exponent of a power map, 0 for any other box of this many bits.
  std::uint32_t exponent_of(const SBox& box) const;

 private:
  int bits_;
  std::uint32_t polynomial_;
  std::vector<std::uint32_t> logs_;    // to the base of a generator; [0] has none
  std::vector<std::uint32_t> powers_;  // the powers of the generator
};

// The primitive polynomial of a degree from 1 to kMaxInputs with the fewest terms, and among these the
// smallest number.
FUGU_EXPORT std::uint32_t usual_polynomial(int bits);

// Throws Error{usage} unless n = m, the bits of the field, and at most `most`: of `what`.
void require_square(const SBox& box, const BinaryField& field, int most, std::string_view what);

inline constexpr int kMaxInterpolatedBits = 12;

// The map x -> x^exponent, 0 < exponent < 2^n - 1.
struct PowerMap {
  BinaryField field;
  std::uint32_t exponent;
};

// A box of at most kMaxInterpolatedBits inputs, or of any number modulo usual_polynomial(), as a power map;
// empty if it is not one.
std::optional<PowerMap> power_map_of(const SBox& box);

// The coefficients c of S(x) = sum over k of c[k] x^k, k < 2^n. Throws Error{usage} unless n = m, the bits of
// the field, and at most kMaxInterpolatedBits.
FUGU_EXPORT std::vector<std::uint32_t> univariate(const SBox& box, const BinaryField& field);

// The box of a polynomial such as "g^170 x^192 + x^3": a sum of products of powers of x, of coefficients, and
// of sums in parentheses; ** is ^ too. A coefficient is an element as a number, decimal or 0x hexadecimal, or
// a power of X, which is g, a, w, z or, as in SageMath, z8; Tr(...) is the trace to GF(2). A power with a
// negative exponent is one of the inverse, and 0 where that is not defined. Throws Error{usage} naming what
// is wrong.
FUGU_EXPORT SBox box_of_polynomial(std::string_view text, const BinaryField& field);

}  // namespace fugu::spectral
