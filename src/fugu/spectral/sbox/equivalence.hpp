// The invariants of invariants.hpp as one table, and the comparison of two boxes by it: equivalent boxes have
// equal values.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "fugu/export.hpp"
#include "fugu/spectral/sbox/invariants.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral {

// Affine equivalence implies EA-equivalence, and that CCZ-equivalence.
enum class Equivalence : std::uint8_t { ea, ccz };

FUGU_EXPORT std::string_view to_string(Equivalence equivalence);  // EA, CCZ

struct InvariantOptions {
  SBoxOptions work{};
  bool slow_ranks = false;  // also the ranks for 7 and 8 inputs, which take minutes
  RowsDone done{};          // counts the ranks' matrices, 2 N^2 rows for a box
};

// Whether both ranks of such a box are among the invariants.
FUGU_EXPORT bool has_ranks(const SBox& box, const InvariantOptions& options);

// A digest replaces lists of sorted values too long to print.
struct Digest {
  std::uint64_t value;
  friend bool operator==(const Digest&, const Digest&) = default;
};
using InvariantValue = std::variant<std::uint64_t, Digest, Histogram>;

struct Invariant {
  Equivalence equivalence;  // equivalent boxes of this kind have the same value
  std::string_view name;
  InvariantValue value;
};

// The invariants that the box has: ranks need n = m, those over all components at most kMaxOutputsOfAll
// outputs, the ortho-derivative a quadratic APN function. Those under CCZ-equivalence come first: they
// distinguish most.
FUGU_EXPORT std::vector<Invariant> invariants(const SBox& box, const InvariantOptions& options = {});

struct Difference {
  Equivalence equivalence;                      // the kind of equivalence that is ruled out
  std::string_view name;                        // the invariant's
  std::optional<InvariantValue> first, second;  // empty: that box has none
};

struct Agreement {
  Equivalence equivalence;
  std::string_view name;  // the invariant's

  friend bool operator==(const Agreement&, const Agreement&) = default;
};

// Equal values prove no equivalence.
struct Comparison {
  std::vector<Agreement> equal;            // the invariants that both have, with equal values
  std::optional<Difference> difference{};  // the first difference; none are computed after it
};

// Throws Error{mismatch} for boxes of different sizes.
FUGU_EXPORT Comparison compare(const SBox& first, const SBox& second, const InvariantOptions& options = {});

}  // namespace fugu::spectral
