// The nonlinearity of every component of a box with too many outputs for a list of its components.
#pragma once

#include <cstdint>
#include <vector>

#include "fugu/export.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral {

inline constexpr int kMaxExhaustiveInputs = 10;

struct ExhaustiveProfile {
  Histogram nonlinearities;          // of all 2^m - 1 components
  std::uint64_t linearity = 0;       // max |W(a,b)| over all a and b != 0
  std::vector<std::uint32_t> masks;  // b of the components that reach it, ascending; kMaxListedMasks at most
};
inline constexpr std::size_t kMaxListedMasks = 4096;

// A step is a component. Throws Error{usage} above kMaxExhaustiveInputs inputs.
FUGU_EXPORT ExhaustiveProfile exhaustive_components(const SBox& box, const SBoxOptions& options = {});

// The approximate time on one core.
FUGU_EXPORT double exhaustive_seconds(const SBox& box);

}  // namespace fugu::spectral
