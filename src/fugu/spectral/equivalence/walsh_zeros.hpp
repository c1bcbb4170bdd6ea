// Walsh-zero spaces of an S-box, and what they show about its CCZ class (Canteaut and Perrin, FFA 56, 2019).
//
// Z is the set of 0 and all (a, b) with W(a,b) = 0, as numbers a 2^m + b. A Walsh-zero space is a subspace of
// dimension n in Z; its thickness is the dimension of its projection to b. L maps the graph of S to the graph
// of a function if and only if L^T maps {(a, 0)} to such a space.
#pragma once

#include "fugu/spectral/equivalence/equivalence.hpp"

namespace fugu::spectral {

struct WalshZeroSpace {
  std::vector<std::uint32_t> basis;  // n vectors, reduced: the highest bit of each is 0 in all others
  int thickness;

  friend bool operator==(const WalshZeroSpace&, const WalshZeroSpace&) = default;
};

// All pairs of so many spaces are examined in seconds.
inline constexpr std::size_t kMaxZeroSpaces = std::size_t{1} << 14;

struct WalshZeroSpaces {
  bool complete;  // false: there may be more
  std::uint64_t steps;
  std::vector<WalshZeroSpace> spaces;  // at most kMaxZeroSpaces
};

// A step is a look at a vector. Throws Error{usage} if n + m is above kMaxGraphBits.
FUGU_EXPORT WalshZeroSpaces walsh_zero_spaces(const SBox& box, const SearchOptions& options = {});

// thickness -> number of spaces
FUGU_EXPORT Histogram thickness_spectrum(const std::vector<WalshZeroSpace>& spaces);

// The function that a space makes of S, with a CCZ witness.
FUGU_EXPORT Image function_of(const SBox& box, const WalshZeroSpace& space);

// A permutation that is CCZ-equivalent to S: made of two spaces that meet only in 0. Empty if there are
// none, or n != m. A step is a pair of spaces.
FUGU_EXPORT std::optional<Image> permutation_of(const SBox& box, const std::vector<WalshZeroSpace>& spaces,
                                                const SBoxOptions& options = {});

// One function for each EA class among those that the spaces make: for quadratic APN functions one for each
// orbit of the spaces, all of them, under the function's maps to itself (Canteaut, Couvreur and Perrin 2022).
// Empty if a search for EA-equivalence was undecided. `made` counts the spaces.
FUGU_EXPORT std::optional<std::vector<Image>> ea_classes(const SBox& box,
                                                         const std::vector<WalshZeroSpace>& spaces,
                                                         const SearchOptions& options = {},
                                                         const Progress& made = {});

// B(S(A(z))) + C(z) = (T_y(x), U_x(y)) for z = (x, y), x and T in the t lowest bits: T_y is a permutation for
// every y (Perrin, Udovenko and Biryukov, CRYPTO 2016). A and B are linear, C is linear and 0 if possible.
// The box is z -> (T_y(x), U_x(y)), with an EA witness. t is a thickness of at most n and m. Empty if none of
// the spaces has it.
FUGU_EXPORT std::optional<Image> tu_decomposition(const SBox& box, const std::vector<WalshZeroSpace>& spaces,
                                                  int t);

}  // namespace fugu::spectral
