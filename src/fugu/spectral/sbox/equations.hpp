// Algebraic relations: equations between inputs and outputs, and annihilators of functions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fugu/export.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral {

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

}  // namespace fugu::spectral
