// The best values known for boxes of n x m bits: the smallest in the literature. Empty if none is recorded
// here for this size.
#pragma once

#include <cstdint>
#include <optional>

#include "fugu/export.hpp"

namespace fugu::spectral {

// For permutations, or for all functions. Perfect nonlinear functions: Nyberg 1991; APN functions and the
// inversion: Nyberg 1993; no APN permutation of 4 bits: Hou 2006; one of 6: Browning, Dillon, McQuistan,
// Wolfe 2010.
FUGU_EXPORT std::optional<std::uint32_t> best_known_uniformity(int inputs, int outputs, bool permutation);

// Bent functions: Nyberg 1991; almost bent ones and n = m even: Chabaud, Vaudenay 1994, Carlet 2021; one
// function of 3 to 7 variables: Berlekamp, Welch 1972, Mykkeltveit 1980; of 9: Kavut, Yucel 2010.
FUGU_EXPORT std::optional<std::uint64_t> best_known_linearity(int inputs, int outputs);

// For permutations of at least 3 bits: Boura, Canteaut 2018.
FUGU_EXPORT std::optional<std::uint32_t> best_known_boomerang_uniformity(int bits);

}  // namespace fugu::spectral
