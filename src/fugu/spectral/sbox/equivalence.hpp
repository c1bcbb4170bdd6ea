// The invariants of invariants.hpp as one table: equivalent S-boxes have the same values. Two boxes are
// compared by it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "fugu/export.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral {

enum class Equivalence : std::uint8_t { affine, ea, ccz };

FUGU_EXPORT std::string_view to_string(Equivalence equivalence);  // affine, EA, CCZ

struct InvariantOptions {
  SBoxOptions work{};
  bool slow_ranks = false;  // also the ranks of 7 and 8 inputs, which take minutes
};

// A digest stands for sorted values that nobody reads.
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

// Those that the box has: ranks need n = m, what is over all components kMaxOutputsOfAll outputs at most, the
// ortho-derivative a quadratic APN function. Those of CCZ-equivalence come first, they tell most apart.
FUGU_EXPORT std::vector<Invariant> invariants(const SBox& box, const InvariantOptions& options = {});

struct Difference {
  Equivalence equivalence;                      // of which kind the boxes are not
  std::string_view name;                        // of the invariant
  std::optional<InvariantValue> first, second;  // none: that box has none
};

struct Comparison {
  std::vector<std::string_view> equal;     // the invariants that both have, and the same
  std::optional<Difference> difference{};  // the first; none are computed after it
};

// Throws Error{mismatch} for boxes of different sizes.
FUGU_EXPORT Comparison compare(const SBox& first, const SBox& second, const InvariantOptions& options = {});

}  // namespace fugu::spectral
