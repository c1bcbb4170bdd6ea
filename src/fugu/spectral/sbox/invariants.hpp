// Invariants of equivalence. Two boxes are
//   linearly equivalent T = B(S(A(x))), A and B linear permutations
//   affine equivalent   the same, A and B affine
//   EA-equivalent       T = B(S(A(x))) + C(x), C affine
//   CCZ-equivalent      an affine permutation maps the graph {(x, S(x))} of one to the other's
// and each of these implies the next. Digests are 64-bit FNV-1a over sorted values.
#pragma once

#include <optional>
#include <variant>

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

// A digest replaces lists of sorted values too long to print.
struct Digest {
  std::uint64_t value;
  friend bool operator==(const Digest&, const Digest&) = default;
};

// EA: the rows a != 0 of the DDT, each as its histogram.
FUGU_EXPORT Digest ddt_rows_digest(const SBox& box, const SBoxOptions& options = {});

// EA: the components b != 0, each as the histogram of |W(a,b)|. Throws Error{usage} above
// kMaxOutputsOfAll outputs.
FUGU_EXPORT Digest lat_columns_digest(const SBox& box, const SBoxOptions& options = {});

// EA: degree -> number of components, with all degrees below 2 counted as 1, and the sums of squares of r
// (proportional to those of W^4), one per component. Throw as above.
FUGU_EXPORT Histogram nonaffine_degrees(const SBox& box, const SBoxOptions& options = {});
FUGU_EXPORT Digest sums_digest(const SBox& box, const SBoxOptions& options = {});

// CCZ: |W(a,b)|, all a, b != 0. Throws as above.
FUGU_EXPORT Histogram extended_walsh_spectrum(const SBox& box, const SBoxOptions& options = {});

// Counts, for each (a, b), the (x, y, z, w) with x + y + z + w = a and S(x) + S(y) + S(z) + S(w) = b; the
// histogram says how many (a, b) have each count. CCZ; for a = 0 alone, EA (Sigma, Kaleyski 2021). 2^(n+m)
// values of 8 bytes are in memory. Throws Error{usage} unless 4n + m < 64.
FUGU_EXPORT Histogram sums_of_four(const SBox& box, const SBoxOptions& options = {});
FUGU_EXPORT Histogram sums_of_four_at_0(const SBox& box, const SBoxOptions& options = {});

// EA: the differential and the extended Walsh spectrum of the ortho-derivative. Empty without one.
FUGU_EXPORT std::optional<Digest> ortho_digest(const SBox& box, const SBoxOptions& options = {});

// Each implies the next.
enum class Equivalence : std::uint8_t { linear, affine, ea, ccz };

FUGU_EXPORT std::string_view to_string(Equivalence equivalence);  // linear, affine, EA, CCZ

// Throws Error{mismatch} for boxes of different sizes.
FUGU_EXPORT void check_same_size(const SBox& first, const SBox& second);

struct InvariantOptions {
  SBoxOptions work{};       // its steps: those of all invariants, of both boxes of a comparison
  bool slow_ranks = false;  // also the ranks for 7 and 8 inputs, which take minutes

  // Only invariants of this equivalence, and so of those that it implies.
  Equivalence relation = Equivalence::linear;
};

// About the most seconds that all invariants of a box take on options.work.threads cores.
FUGU_EXPORT double invariant_seconds(const SBox& box, const InvariantOptions& options);

using InvariantValue = std::variant<std::uint64_t, Digest, Histogram>;

struct Invariant {
  Equivalence equivalence;  // equivalent boxes of this kind have the same value
  std::string_view name;
  InvariantValue value;
};

// The invariants that the box has: ranks need n = m, those over all components at most kMaxOutputsOfAll
// outputs, the ortho-derivative a quadratic APN function, those of the inverse a permutation; some that would
// take long need at most 12 inputs and outputs. Those under CCZ-equivalence come first: they distinguish
// most.
FUGU_EXPORT std::vector<Invariant> invariants(const SBox& box, const InvariantOptions& options = {});

struct Difference {
  Equivalence equivalence;                      // the kind of equivalence that is ruled out
  std::string_view name;                        // the invariant's
  std::string_view by;                          // what kind of invariant, with its source
  std::optional<InvariantValue> first, second;  // empty: that box has none
};

struct Agreement {
  Equivalence equivalence;
  std::string_view name;  // of the invariant

  friend bool operator==(const Agreement&, const Agreement&) = default;
};

// Equal values do not prove equivalence.
struct Comparison {
  std::vector<Agreement> equal;            // the invariants that both have, with equal values
  std::optional<Difference> difference{};  // the first difference; none are computed after it
};

// Throws Error{mismatch} for boxes of different sizes.
FUGU_EXPORT Comparison compare(const SBox& first, const SBox& second, const InvariantOptions& options = {});

}  // namespace fugu::spectral
