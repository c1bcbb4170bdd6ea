// Undisturbed bits (Tezcan 2014).
#pragma once

#include <cstdint>
#include <vector>

#include "fugu/export.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral {

inline constexpr int kMaxUndisturbedInputs = 16;

// Bit j of S(x) + S(x + a) is `value` for all x.
struct UndisturbedBit {
  std::uint32_t a;
  std::uint32_t j;
  bool value;
};

// Those of all a != 0, ascending by a, then j. Throws Error{usage} above kMaxUndisturbedInputs inputs.
FUGU_EXPORT std::vector<UndisturbedBit> undisturbed_bits(const SBox& box, const SBoxOptions& options = {});

}  // namespace fugu::spectral
