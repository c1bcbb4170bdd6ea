// Algebraic degrees of components. The degree of 0 is -1, that of 1 is 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fugu/export.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral {

// The degree of S: the largest of its coordinates' degrees (and so of its components').
FUGU_EXPORT int degree(const SBox& box);

// The degree of every component, indexed by b; [0] is -1. Throws Error{usage} above kMaxOutputsOfAll outputs.
FUGU_EXPORT std::vector<std::int8_t> component_degrees(const SBox& box, const SBoxOptions& options = {});

}  // namespace fugu::spectral
