// The places of the counters of W / 2 for -kNearHalf <= W / 2 < kNearHalf.
#pragma once

#include <cstdint>

#include "fugu/core/hd.hpp"

namespace fugu::kernels {

inline constexpr std::int32_t kNearHalf = 4096;
inline constexpr std::uint32_t kNearPlaces = 2 * kNearHalf;

// Returns the place of W / 2, which is below kNearPlaces if W / 2 has a counter.
FUGU_HD constexpr std::uint32_t near_place(std::int32_t half) {
  return static_cast<std::uint32_t>(half + kNearHalf);
}

// Returns the index of the counter of a place. All W of a component are congruent modulo 4, so even and odd
// places are stored separately: the counters in use are then in different banks.
FUGU_HD constexpr std::uint32_t near_index(std::uint32_t place) {
  return place / 2 + place % 2 * (kNearPlaces / 2);
}

// Returns the difference between the offset of a place's counter in bytes and twice the place.
FUGU_HD constexpr std::uint32_t near_shift(std::uint32_t place) {
  return place % 2 * (2 * kNearPlaces - 2);
}
static_assert(sizeof(std::uint32_t) * (kNearPlaces + 1) <= 0x10000,
              "offsets of counters in halves of a word");
static_assert(2 * 4098 + near_shift(4098) == sizeof(std::uint32_t) * near_index(4098) &&
              2 * 4099 + near_shift(4099) == sizeof(std::uint32_t) * near_index(4099));

}  // namespace fugu::kernels
