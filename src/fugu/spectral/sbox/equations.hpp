// Algebraic relations: equations between inputs and outputs, and annihilators of functions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fugu/export.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral {

inline constexpr int kMaxEquationDegree = 3;

// Linearly independent equations of degree `degree` (1 to 3) or less in the n input and m output bits that
// hold at every (x, S(x)): the number of monomials less the rank of their values (Courtois and Pieprzyk
// 2002).
FUGU_EXPORT std::uint64_t equations(const SBox& box, int degree, const SBoxOptions& options = {});

// n + m up to which equations() of this degree are computed: 24 for degree 2, 20 for degree 3.
FUGU_EXPORT bool has_equations(const SBox& box, int degree);

// g != 0 of the least degree with g f = 0. The constant 1 has none: degree n + 1, dimension 0.
struct Annihilators {
  int degree = 0;
  std::uint64_t dimension = 0;  // of the space of annihilators of this degree or less
};

// Throws Error{usage} above kMaxImmunityVariables variables.
inline constexpr int kMaxImmunityVariables = 16;
FUGU_EXPORT Annihilators annihilators(const TruthTable& function, const SBoxOptions& options = {});

// min over f and f + 1; constants: 0 (Meier, Pasalic and Carlet 2004).
FUGU_EXPORT int algebraic_immunity(const TruthTable& function, const SBoxOptions& options = {});

// Of every component b != 0: degree -> components. Throws Error{usage} above kMaxOutputsOfAll outputs.
FUGU_EXPORT Histogram component_immunities(const SBox& box, const SBoxOptions& options = {});

}  // namespace fugu::spectral
