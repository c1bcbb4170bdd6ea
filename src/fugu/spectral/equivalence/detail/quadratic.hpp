// Maps of quadratic APN functions to themselves, and their Walsh-zero spaces. Internal.
#pragma once

#include "fugu/spectral/equivalence/affine_map.hpp"
#include "fugu/spectral/equivalence/detail/budget.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral::detail {

// Its linear part's.
AffineMap transposed(const AffineMap& map);

// The linear parts of affine maps of the graph to itself that are EA-equivalences: those of the translations
// by the unit vectors, and then, one up to translations, all others, by maps of the ortho-derivative pi to
// itself.
std::vector<AffineMap> quadratic_automorphisms(const SBox& box, const SBox& pi, Budget& budget);

// Each vector's highest bit is 0 in all others; ascending.
std::vector<std::uint32_t> reduced(std::vector<std::uint32_t> basis);

// Appends the reduced bases of the Walsh-zero spaces, at most `most` in all, for an ortho-derivative that is
// a permutation.
void append_quadratic_zeros(const SBox& box, const SBox& pi, std::size_t most, Budget& budget,
                            std::vector<std::vector<std::uint32_t>>& bases);

}  // namespace fugu::spectral::detail
