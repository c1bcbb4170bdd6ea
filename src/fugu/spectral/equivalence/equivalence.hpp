// Decides the equivalence of S-boxes S and T by a search for the maps between them, which are checked before
// they are returned:
//   linear  T(x) = B(S(A(x))), A and B linear permutations
//   affine  the same, A and B affine
//   EA      T(x) = B(S(A(x))) + C(x), C affine
//   CCZ     an affine permutation L maps the graph {(x, S(x))} to {(x, T(x))}
// linear and affine by guesses and what they imply (Biryukov, De Canniere, Braeken and Preneel, EUROCRYPT
// 2003); EA and CCZ as equivalence of linear codes with columns (1, x, S(x)) (Edel and Pott, AMC 3, 2009), by
// refinement and backtracking; EA of quadratic APN functions by their ortho-derivatives (Canteaut, Couvreur
// and Perrin 2022).
#pragma once

#include <chrono>
#include <string>

#include "fugu/spectral/equivalence/affine_map.hpp"
#include "fugu/spectral/sbox/invariants.hpp"

namespace fugu::spectral {

// The largest boxes: inputs and outputs each for linear and affine, both together for EA and CCZ.
inline constexpr int kMaxAffineBits = 16;
inline constexpr int kMaxGraphBits = 20;

// Whether find_equivalence() supports this relation of boxes of this size.
FUGU_EXPORT bool has_search(const SBox& box, Equivalence relation);

struct Witness {
  Equivalence relation;
  AffineMap a{};  // maps n bits to n
  AffineMap b{};  // maps m bits to m
  AffineMap c{};  // n to m; EA only
  AffineMap l{};  // n + m to n + m, bits m and above are x; CCZ only, and without the others
};

// Whether the witness is one, for every x.
FUGU_EXPORT bool holds(const Witness& witness, const SBox& s, const SBox& t);

// A box that is equivalent to S.
struct Image {
  SBox box;
  Witness witness;  // maps S to it
};

enum class Verdict : std::uint8_t { equivalent, inequivalent, undecided };

using Deadline = std::chrono::steady_clock::time_point;
inline constexpr Deadline kNoDeadline = Deadline::max();
using Clock = Deadline (*)();

// The time so many seconds from now; none for 0. Throws Error{usage} for less and for what is not a number.
FUGU_EXPORT Deadline deadline_after(double seconds, Clock clock = std::chrono::steady_clock::now);

struct SearchOptions {
  std::stop_token stop = {};                        // ends the work with Error{interrupted}
  Deadline deadline = kNoDeadline;                  // from then on it is undecided
  std::function<void(std::uint64_t steps)> done{};  // called with their number since the last call, or 0
  Clock clock = std::chrono::steady_clock::now;
};

// A step is a guess.
struct Search {
  Verdict verdict;
  std::string_view by;  // what was searched, and the source of the method
  std::uint64_t steps = 0;
  std::optional<Witness> witness{};  // for equivalent boxes only
};

// Without invariants: compare() excludes most inequivalent boxes faster. Throws Error{mismatch} for boxes of
// different sizes, Error{usage} without has_search().
FUGU_EXPORT Search find_equivalence(const SBox& s, const SBox& t, Equivalence relation,
                                    const SearchOptions& options = {});

// The number of pairs (A, B) with B(S(A(x))) = S(x), decimal since it may exceed 64 bits; empty if undecided
// at the deadline. Throws Error{usage} for EA, CCZ and without has_search().
FUGU_EXPORT std::optional<std::string> self_equivalences(const SBox& box, Equivalence relation,
                                                         const SearchOptions& options = {});

// How two boxes are related: by invariants first, then by theorems, then by a search.

struct Answer {
  Equivalence relation;
  Verdict verdict;
  std::string_view by;                     // what decides: invariants, a theorem or a search, with its source
  std::optional<Difference> difference{};  // the invariant that excludes the relation, unless a search did
  std::uint64_t steps = 0;                 // of the search
  std::optional<Witness> witness{};        // of equivalent boxes
};

inline constexpr double kSearchSeconds = 60;

struct DecisionOptions {
  InvariantOptions invariants{};  // for all relations that are asked for

  // Of the invariants and all searches together; 0: no limit. Each search has an equal share of what is left.
  double seconds = kSearchSeconds;
  std::function<void(Equivalence relation, std::uint64_t steps)> done{};
  Clock clock = std::chrono::steady_clock::now;
};

// Answers for `strongest`, the relation that it implies, and so on up to `weakest`, at most to the first that
// holds. Throws Error{mismatch} for boxes of different sizes.
FUGU_EXPORT std::vector<Answer> decide(const SBox& s, const SBox& t, Equivalence strongest,
                                       Equivalence weakest, const DecisionOptions& options = {});

}  // namespace fugu::spectral
