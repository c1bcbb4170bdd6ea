// The place of W / 2 among the counters for -kNearHalf <= W / 2 < kNearHalf.
#pragma once

#include <cstdint>

#include "fugu/core/hd.hpp"

namespace fugu::kernels {

inline constexpr std::int32_t kNearHalf = 4096;
inline constexpr std::uint32_t kNearPlaces = 2 * kNearHalf;

// Below kNearPlaces if there is a counter.
FUGU_HD constexpr std::uint32_t near_place(std::int32_t half) {
  return static_cast<std::uint32_t>(half + kNearHalf);
}

// All W of a component are congruent modulo 4: even and odd places are counted separately, so that neighbours
// are in different banks.
FUGU_HD constexpr std::uint32_t near_index(std::uint32_t place) {
  return place / 2 + place % 2 * (kNearPlaces / 2);
}

// Twice the place of a counter plus this is its offset in bytes.
FUGU_HD constexpr std::uint32_t near_shift(std::uint32_t place) {
  return place % 2 * (2 * kNearPlaces - 2);
}
static_assert(2 * 4098 + near_shift(4098) == sizeof(std::uint32_t) * near_index(4098) &&
              2 * 4099 + near_shift(4099) == sizeof(std::uint32_t) * near_index(4099));

}  // namespace fugu::kernels
