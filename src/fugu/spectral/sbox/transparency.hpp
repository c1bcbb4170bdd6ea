// Prouff's transparency order (FSE 2005).
#pragma once

#include <cstddef>
#include <cstdint>

#include "fugu/export.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral {

inline constexpr int kMaxTransparencyOutputs = 16;

// max over beta of |m - 2 wt(beta)| - 1/(N^2 - N) sum over a != 0 of |sum over j of (-1)^beta_j r(a,2^j)|.
// Throws Error{usage} above kMaxTransparencyOutputs outputs.
FUGU_EXPORT double transparency_order(const SBox& box, const SBoxOptions& options = {});

// The term of beta, from N and the sum over a.
FUGU_EXPORT double transparency_of(std::size_t size, int outputs, std::uint32_t beta, std::uint64_t total);

}  // namespace fugu::spectral
