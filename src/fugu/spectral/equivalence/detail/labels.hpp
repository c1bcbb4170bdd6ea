// Labels that equivalences preserve, of differences and points of a box. Internal.
#pragma once

#include <cstdint>
#include <vector>

#include "fugu/core/splitmix.hpp"
#include "fugu/spectral/equivalence/detail/budget.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral::detail {

inline std::uint64_t mixed(std::uint64_t value) {
  return core::SplitMix64(value).next();
}

struct Labels {
  std::vector<std::uint64_t> differences;  // row a of the DDT as its values: kept under EA-equivalence
  std::vector<std::uint64_t> points;       // the delta(a, S(x) + S(x + a)) of all a: under CCZ-equivalence
};

Labels labels_of(const SBox& box, const Budget& budget);

// The rarest label's first position.
std::uint32_t rarest(const std::vector<std::uint64_t>& labels);

// S(x + point) + S(point), which maps 0 to 0.
SBox moved(const SBox& box, std::uint32_t point);

}  // namespace fugu::spectral::detail
