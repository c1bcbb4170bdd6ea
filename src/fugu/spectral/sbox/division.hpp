// The products y^v of output bits, y^v the product of the y_j with v_j = 1, as polynomials of the inputs.
#pragma once

#include <cstdint>
#include <vector>

#include "fugu/export.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral {

inline constexpr int kMaxTrailBits = 20;    // n + m
inline constexpr int kMaxProductBits = 32;  // n + m

// [u * M + v] is 1 if v is one of the least, bit by bit, for which y^v has a monomial x^w with w >= u; 0
// otherwise (Xiang, Zhang, Bao and Lin 2016). Throws Error{usage} for n + m above kMaxTrailBits.
FUGU_EXPORT std::vector<std::int64_t> division_trails(const SBox& box, const SBoxOptions& options = {});

// [k - 1] = delta_k, the largest degree of a product of at most k of the y_j, for k = 1 to m (Boura and
// Canteaut 2013). Throws Error{usage} for n + m above kMaxProductBits.
FUGU_EXPORT std::vector<std::uint64_t> product_degrees(const SBox& box, const SBoxOptions& options = {});

}  // namespace fugu::spectral
