// Anomalies of a permutation's tables: -log2 of the probability that a random permutation of as many bits
// does at least as well (Bonnetain, Perrin, Tian, ASIACRYPT 2019). As there, the entries outside row 0 and
// column 0 are treated as independent.
// Besides, the best values known for boxes of n x m bits.
#pragma once

#include <cstdint>
#include <optional>

#include "fugu/export.hpp"

namespace fugu::spectral {

inline constexpr int kMaxAnomalyBits = 10;

// "At least as well" means a smaller largest entry, or the same one reached no more often. 2 to
// kMaxAnomalyBits bits.

// The anomaly of the differential uniformity and the number of entries that reach it.
FUGU_EXPORT double differential_anomaly(int bits, std::uint32_t uniformity, std::uint64_t attained);

// The same for the linearity, max |W(a,b)|.
FUGU_EXPORT double linear_anomaly(int bits, std::uint64_t linearity, std::uint64_t attained);

// The same for the boomerang uniformity.
FUGU_EXPORT double boomerang_anomaly(int bits, std::uint32_t uniformity, std::uint64_t attained);

// The smallest values in the literature; empty if none is recorded here for this size.

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
