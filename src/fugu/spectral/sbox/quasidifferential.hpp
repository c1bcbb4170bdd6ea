// Quasidifferential transition matrices (Beyne and Rijmen 2022).
#pragma once

#include <cstdint>
#include <span>

#include "fugu/export.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral {

inline constexpr int kMaxQuasidifferentialBits = 10;  // of inputs, and of outputs

// row[b * M + v] = sum over the x with S(x) + S(x + a) = b of (-1)^(u.x + v.S(x)), of the row a * N + u: 2^n
// times an entry of the matrix. Throws Error{usage} for a box with more inputs or outputs.
FUGU_EXPORT void quasidifferential_row(const SBox& box, std::uint32_t row_number,
                                       std::span<std::int32_t> row);

}  // namespace fugu::spectral
