// Power maps x^k and x^l over GF(2^n) are CCZ-equivalent if and only if l is 2^i k, or 2^i / k, modulo 2^n -
// 1 (Dempwolff, DCC 86, 2018; for APN functions Yoshiara, J. Algebraic Combin. 44, 2016). Internal.
#pragma once

#include "fugu/spectral/equivalence/equivalence.hpp"

namespace fugu::spectral::detail {

struct PowerPair {
  std::uint32_t k, l;              // the least of their classes; equivalent if they are the same
  std::optional<Witness> witness;  // linear if l = 2^i k, otherwise CCZ
};

// Empty unless both boxes, of one size, are power maps, over any representations of the field.
std::optional<PowerPair> power_pair(const SBox& s, const SBox& t);

}  // namespace fugu::spectral::detail
