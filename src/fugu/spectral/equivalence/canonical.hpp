// The least box of a class of equivalence, and the numbers of classes in published lists.
#pragma once

#include "fugu/spectral/equivalence/equivalence.hpp"

namespace fugu::spectral {

inline constexpr int kMaxCanonicalBits = 8;  // of the inputs, and of the outputs

// R(x) = B(S(A(x))), the lexicographically least R(0), R(1), ... of all linear or affine permutations A and
// B, with these maps: boxes are equivalent if and only if they have the same R (Biryukov, De Canniere,
// Braeken and Preneel, EUROCRYPT 2003). Empty at the deadline. Throws Error{usage} for other relations, and
// above kMaxCanonicalBits.
FUGU_EXPORT std::optional<Image> canonical(const SBox& box, Equivalence relation,
                                           const SearchOptions& options = {});

// A class in one of the lists.
struct ListedClass {
  std::string_view list;  // what the classes are of: "permutations of 4 bits"
  int classes;            // in the list, numbered from `first` on
  int first;
  int number;
  Equivalence relation;
  std::string_view by;      // what decided: "the least affine representative"
  std::string_view origin;  // of the list
};

// The classes of a box in all lists that are about boxes such as this: the affine classes of permutations of
// 3 and 4 bits, the optimal ones among these, the EA classes of functions of 3 and 4 variables, the CCZ
// classes of APN functions of 6 variables and of quadratic ones of 7. Empty: it is in none of them; no value:
// undecided at the deadline.
FUGU_EXPORT std::optional<std::vector<ListedClass>> classes_of(const SBox& box,
                                                               const SearchOptions& options = {});

}  // namespace fugu::spectral
