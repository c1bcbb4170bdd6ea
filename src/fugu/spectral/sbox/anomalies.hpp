// Anomalies of a permutation's tables: -log2 of the probability that a random permutation of as many bits
// does at least as well (Bonnetain, Perrin, Tian, ASIACRYPT 2019). As there, the entries outside row 0 and
// column 0 are treated as independent.
#pragma once

#include <cstdint>

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

}  // namespace fugu::spectral
