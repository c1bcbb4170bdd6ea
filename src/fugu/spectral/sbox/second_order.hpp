// The second-order nonlinearity: the distance to the functions of degree at most 2.
#pragma once

#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral {

inline constexpr int kMaxSecondOrderVariables = 9;

// Exact, by all quadratic forms of n - 2 variables: 2^21 of them, some seconds, for 9 variables. Throws
// Error{usage} above kMaxSecondOrderVariables variables.
FUGU_EXPORT std::uint64_t second_order_nonlinearity(const TruthTable& function,
                                                    const SBoxOptions& options = {});

// The least of all components b != 0. Throws as above, and above kMaxOutputsOfAll outputs.
FUGU_EXPORT std::uint64_t second_order_nonlinearity(const SBox& box, const SBoxOptions& options = {});

// About how many seconds a function of so many variables takes on one core.
FUGU_EXPORT double second_order_seconds(int variables);

}  // namespace fugu::spectral
