// The launches of a transform over a group. Internal.
#pragma once

#include "fugu/spectral/groups/characters.hpp"
#include "kernels/spectral_launch.hpp"

namespace fugu::spectral::cuda {

// A pass, or one axis of more than kernels::kMaxTileRadix values, with radix[0] and stride of the pass.
struct GroupStep {
  bool in_tiles;
  kernels::GroupPass pass;
};

// From the last axis to the first; axes of one value are left out.
FUGU_EXPORT std::vector<GroupStep> plan_group(const CharacterGroup& group, std::size_t value_bytes);

}  // namespace fugu::spectral::cuda
