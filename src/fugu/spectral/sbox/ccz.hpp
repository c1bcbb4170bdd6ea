// Invariants of CCZ-equivalence: the ranks of Edel and Pott, and the ortho-derivative.
#pragma once

#include <cstdint>
#include <optional>

#include "fugu/export.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral {

inline constexpr int kMaxRankInputs = 8;

// Ranks over F_2 of the N^2 x N^2 matrices [u + v in D]; Gamma: D is the graph, Delta: D is
// {(a,b): a != 0, delta(a,b) > 0} (Edel and Pott 2009). A step is a row. Throw Error{usage} unless n = m <=
// kMaxRankInputs.
FUGU_EXPORT std::uint64_t gamma_rank(const SBox& box, const SBoxOptions& options = {});
FUGU_EXPORT std::uint64_t delta_rank(const SBox& box, const SBoxOptions& options = {});

// About how many seconds both take on one core; some boxes take a fifteenth of it.
double rank_seconds(int inputs);

// pi(0) = 0, and pi(a) != 0 is orthogonal to S(x) + S(x + a) + S(a) + S(0) for all x (Canteaut, Couvreur and
// Perrin 2022). Exists only for quadratic APN functions with n = m; empty for others. Its differential and
// extended Walsh spectra are EA-invariants.
FUGU_EXPORT std::optional<SBox> ortho_derivative(const SBox& box);

}  // namespace fugu::spectral
