// Invariants of equivalence. Two boxes are
//   affine equivalent   T = B(S(A(x))), A and B affine permutations
//   EA-equivalent       T = B(S(A(x))) + C(x), C affine
//   CCZ-equivalent      an affine permutation maps the graph {(x, S(x))} of one to the other's
// and each of these implies the next. Digests are 64-bit FNV-1a over sorted values.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "fugu/export.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral {

inline constexpr int kMaxRankInputs = 8;

// EA: the rows a != 0 of the DDT, each as its histogram.
FUGU_EXPORT std::uint64_t ddt_rows_digest(const SBox& box, const SBoxOptions& options = {});

// EA: the components b != 0, each as the histogram of |W(a,b)|. Throws Error{usage} above
// kMaxOutputsOfAll outputs.
FUGU_EXPORT std::uint64_t lat_columns_digest(const SBox& box, const SBoxOptions& options = {});

// EA: degree -> number of components, with all degrees below 2 counted as 1, and the sums of squares of r
// (proportional to those of W^4), one per component. Throw as above.
FUGU_EXPORT Histogram nonaffine_degrees(const SBox& box, const SBoxOptions& options = {});
FUGU_EXPORT std::uint64_t sums_digest(const SBox& box, const SBoxOptions& options = {});

// CCZ: |W(a,b)|, all a, b != 0. Throws as above.
FUGU_EXPORT Histogram extended_walsh_spectrum(const SBox& box, const SBoxOptions& options = {});

// CCZ: ranks over F_2 of the N^2 x N^2 matrices [u + v in D]; Gamma: D is the graph, Delta: D is
// {(a,b): a != 0, delta(a,b) > 0} (Edel and Pott 2009). done(1) is called after each of the N^2 rows. Throw
// Error{usage} unless n = m <= kMaxRankInputs.
using RowsDone = std::function<void(std::uint64_t rows)>;
FUGU_EXPORT std::uint64_t gamma_rank(const SBox& box, const SBoxOptions& options = {},
                                     const RowsDone& done = {});
FUGU_EXPORT std::uint64_t delta_rank(const SBox& box, const SBoxOptions& options = {},
                                     const RowsDone& done = {});

// The approximate time of both on one core; some boxes take a fifteenth of it.
FUGU_EXPORT double rank_seconds(int inputs);

// pi(0) = 0, and pi(a) != 0 is orthogonal to S(x) + S(x + a) + S(a) + S(0) for all x (Canteaut, Couvreur and
// Perrin 2022). Exists only for quadratic APN functions with n = m; empty for others. Its differential and
// extended Walsh spectra are EA-invariants.
FUGU_EXPORT std::optional<SBox> ortho_derivative(const SBox& box);

}  // namespace fugu::spectral
