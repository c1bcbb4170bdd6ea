// Masks by weight, for searches for the lightest. Internal.
#pragma once

#include <bit>
#include <cstdint>

namespace fugu::spectral::detail {

// The first of the masks from 1 to `last`, which is 2^k - 1, for which `wanted` holds, in order of weight; 0
// if there is none.
template <class Wanted>
std::uint32_t first_by_weight(std::uint32_t last, Wanted wanted) {
  for (int weight = 1; weight <= std::popcount(last); ++weight) {
    std::uint64_t mask = (std::uint64_t{1} << weight) - 1;
    while (mask <= last) {
      if (wanted(static_cast<std::uint32_t>(mask))) return static_cast<std::uint32_t>(mask);
      // The next larger mask of the same weight: a carry through the lowest run, whose other bits move to the
      // end.
      const std::uint64_t carried = mask + (mask & (0 - mask));
      mask = carried | (carried ^ mask) >> (2 + std::countr_zero(mask));
    }
  }
  return 0;
}

}  // namespace fugu::spectral::detail
