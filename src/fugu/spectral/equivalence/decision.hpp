// How two S-boxes are related: by invariants first, then by a search.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "fugu/export.hpp"
#include "fugu/spectral/equivalence/equivalence.hpp"
#include "fugu/spectral/sbox/invariants.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral {

struct Answer {
  Equivalence relation;
  Verdict verdict;
  std::optional<Difference> difference{};  // the invariant that excludes the relation, if one does
  std::uint64_t steps = 0;                 // of the search
  std::optional<Witness> witness{};        // of equivalent boxes
};

inline constexpr double kSearchSeconds = 60;

struct DecisionOptions {
  InvariantOptions invariants{};  // for all relations that are asked for

  // Limits each search to the guesses that take about so long on one core; 0: no limit.
  double seconds = kSearchSeconds;
  std::function<void(Equivalence relation, std::uint64_t steps)> done{};
};

// Answers for `strongest`, the relation that it implies, and so on up to `weakest`, at most to the first that
// holds. Throws Error{mismatch} for boxes of different sizes.
FUGU_EXPORT std::vector<Answer> decide(const SBox& s, const SBox& t, Equivalence strongest,
                                       Equivalence weakest, const DecisionOptions& options = {});

}  // namespace fugu::spectral
