// How unusual a permutation's tables are: -log2 of the chance that those of a random permutation of as many
// bits are as good (Bonnetain, Perrin, Tian, ASIACRYPT 2019). The entries outside row 0 and column 0 are
// taken as independent, as there.
#pragma once

#include <cstdint>

#include "fugu/export.hpp"

namespace fugu::spectral {

inline constexpr int kMaxAnomalyBits = 10;

// As good: the largest entry is smaller, or the same and not reached more often. 2 to kMaxAnomalyBits bits.

// Of the uniformity and how many entries reach it.
FUGU_EXPORT double differential_anomaly(int bits, std::uint32_t uniformity, std::uint64_t attained);

// Of the linearity, max |W(a,b)|.
FUGU_EXPORT double linear_anomaly(int bits, std::uint64_t linearity, std::uint64_t attained);

// Of the boomerang uniformity.
FUGU_EXPORT double boomerang_anomaly(int bits, std::uint32_t uniformity, std::uint64_t attained);

}  // namespace fugu::spectral
