// The sums in Prouff's transparency order (src/fugu/spectral/sbox/sidechannel.hpp).
#pragma once

#include "kernels/sbox/packed.hpp"
#include "kernels/sbox/sbox_launch.hpp"

namespace fugu::kernels {

// (-1)^y of output j of a value.
FUGU_HD std::int64_t coordinate_sign(std::uint32_t value, unsigned j) {
  return 1 - 2 * static_cast<std::int64_t>(value >> j & 1);
}

// The four beta from 4 quad on, which have the terms of all j but 0 and 1 in common.
class TransparencyQuad {
 public:
  FUGU_HD explicit TransparencyQuad(std::uint32_t quad) {
    FUGU_UNROLL
    for (unsigned j = 2; j < kMaxTransparencyOutputs; ++j)
      signs_[j - 2] = (quad >> (j - 2) & 1) != 0 ? -1 : 1;
  }

  // Adds |sum over j of (-1)^beta_j r[j]| of beta = 4 quad + i to sums[i].
  FUGU_HD void add(const std::int32_t* r, std::uint32_t* sums) const {
    std::int32_t common = 0;
    FUGU_UNROLL
    for (unsigned j = 2; j < kMaxTransparencyOutputs; ++j) common += signs_[j - 2] * r[j];
    const std::int32_t sum = r[0] + r[1], difference = r[0] - r[1];
    sums[0] += magnitude(common + sum);
    sums[1] += magnitude(common - difference);
    sums[2] += magnitude(common + difference);
    sums[3] += magnitude(common - sum);
  }

 private:
  std::int32_t signs_[kMaxTransparencyOutputs - 2];
};

}  // namespace fugu::kernels
