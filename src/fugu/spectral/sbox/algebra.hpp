// Degrees, equations, annihilators and polynomials of S-boxes. The degree of 0 is -1, that of 1 is 0.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fugu/export.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral {

// The degree of S: the largest of its coordinates' degrees (and so of its components').
FUGU_EXPORT int degree(const SBox& box);

// The degree of every component, indexed by b; [0] is -1. Throws Error{usage} above kMaxOutputsOfAll outputs.
FUGU_EXPORT std::vector<std::int8_t> component_degrees(const SBox& box, const SBoxOptions& options = {});

inline constexpr int kMaxEquationDegree = 3;

// The number of linearly independent equations of degree at most `degree` (1 to 3) in the n input and m
// output bits that hold at every (x, S(x)): the number of monomials less the rank of their values (Courtois
// and Pieprzyk 2002).
FUGU_EXPORT std::uint64_t equations(const SBox& box, int degree, const SBoxOptions& options = {});

// Whether equations() supports this degree: n + m is at most 24 for degree 2 and 20 for degree 3.
FUGU_EXPORT bool has_equations(const SBox& box, int degree);

// The annihilators g != 0 of least degree, with g f = 0. The constant 1 has none: degree n + 1, dimension 0.
struct Annihilators {
  int degree = 0;
  std::uint64_t dimension = 0;  // of the space of annihilators of at most this degree
};

// Throws Error{usage} above kMaxImmunityVariables variables.
inline constexpr int kMaxImmunityVariables = 16;
FUGU_EXPORT Annihilators annihilators(const TruthTable& function, const SBoxOptions& options = {});

// min over f and f + 1; 0 for constants (Meier, Pasalic and Carlet 2004).
FUGU_EXPORT int algebraic_immunity(const TruthTable& function, const SBoxOptions& options = {});

// Over all components b != 0: immunity -> number of components. Throws Error{usage} above kMaxOutputsOfAll
// outputs.
FUGU_EXPORT Histogram component_immunities(const SBox& box, const SBoxOptions& options = {});

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
