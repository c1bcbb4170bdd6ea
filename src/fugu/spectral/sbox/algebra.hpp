// Degrees, equations and annihilators of S-boxes. The degree of 0 is -1, that of 1 is 0.
#pragma once

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

// A product of input and output bits: bit i stands for x_i, bit n + j for y_j. 0 is the constant 1.
using Monomial = std::uint64_t;

// A basis of these equations, each a sum of monomials that is 0 at every (x, S(x)).
FUGU_EXPORT std::vector<std::vector<Monomial>> equation_basis(const SBox& box, int degree,
                                                              const SBoxOptions& options = {});

// "x0 y1 + x2 + 1" of a box with that many inputs.
FUGU_EXPORT std::string equation_text(const std::vector<Monomial>& equation, int inputs);

// Whether equations() supports this degree: n + m is at most 24 for degree 2 and 20 for degree 3.
FUGU_EXPORT bool has_equations(const SBox& box, int degree);

// f + 1.
TruthTable complement(TruthTable function);

// The annihilators g != 0 of least degree, with g f = 0. The constant 1 has none: degree n + 1, dimension 0.
struct Annihilators {
  int degree = 0;
  std::uint64_t dimension = 0;  // dimension of the space of annihilators of at most this degree
};

// Throws Error{usage} above kMaxImmunityVariables variables.
inline constexpr int kMaxImmunityVariables = 16;
FUGU_EXPORT Annihilators annihilators(const TruthTable& function, const SBoxOptions& options = {});

// About the most seconds that this takes on one core.
double annihilator_seconds(int variables);

// A basis of the space of annihilators of least degree, as functions; empty for the constant 1. Throws as
// above.
FUGU_EXPORT std::vector<TruthTable> annihilator_basis(const TruthTable& function,
                                                      const SBoxOptions& options = {});

// min over f and f + 1; 0 for constants (Meier, Pasalic and Carlet 2004).
FUGU_EXPORT int algebraic_immunity(const TruthTable& function, const SBoxOptions& options = {});

// Over all components b != 0: immunity -> number of components. Throws Error{usage} above kMaxOutputsOfAll
// outputs.
FUGU_EXPORT Histogram component_immunities(const SBox& box, const SBoxOptions& options = {});

inline constexpr int kMaxTrailBits = 20;    // n + m
inline constexpr int kMaxProductBits = 32;  // n + m

// Products y^v of output bits: of the y_j with v_j = 1, as polynomials of the inputs.

// [u * M + v] is 1 if v is one of the least, bit by bit, for which y^v has a monomial x^w with w >= u; 0
// otherwise (Xiang, Zhang, Bao and Lin 2016). Throws Error{usage} for n + m above kMaxTrailBits.
FUGU_EXPORT std::vector<std::int64_t> division_trails(const SBox& box, const SBoxOptions& options = {});

// [k - 1] = delta_k, the largest degree of a product of at most k of the y_j, for k = 1 to m (Boura and
// Canteaut 2013). Throws Error{usage} for n + m above kMaxProductBits.
FUGU_EXPORT std::vector<std::uint64_t> product_degrees(const SBox& box, const SBoxOptions& options = {});

}  // namespace fugu::spectral
