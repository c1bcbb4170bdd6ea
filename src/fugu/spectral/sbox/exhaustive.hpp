// The nonlinearity of every component of a box with more outputs than a list of components has room for.
#pragma once

#include <cstdint>
#include <functional>
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

// done(masks) is called now and then, from any thread, with how many were finished since the last call; what
// it throws stops the work and comes out. Throws Error{usage} above kMaxExhaustiveInputs inputs.
FUGU_EXPORT ExhaustiveProfile
exhaustive_components(const SBox& box, const SBoxOptions& options = {},
                      const std::function<void(std::uint64_t masks)>& done = {});

// How long one core takes for it, roughly.
FUGU_EXPORT double exhaustive_seconds(const SBox& box);

}  // namespace fugu::spectral
