// Where W / 2 is counted among counters for -kNearHalf <= W / 2 < kNearHalf.
#pragma once

#include <cstdint>

#include "fugu/core/hd.hpp"

namespace fugu::kernels {

inline constexpr std::int32_t kNearHalf = 4096;
inline constexpr std::uint32_t kNearPlaces = 2 * kNearHalf;

// Below kNearPlaces where there is a counter.
FUGU_HD constexpr std::uint32_t near_place(std::int32_t half) {
  return static_cast<std::uint32_t>(half + kNearHalf);
}

// All W of a component leave the same remainder modulo 4: even and odd places are counted apart, so that
// neighbours lie in different banks.
FUGU_HD constexpr std::uint32_t near_index(std::uint32_t place) {
  return place / 2 + place % 2 * (kNearPlaces / 2);
}

// Twice the place of a counter and this is its offset in bytes.
FUGU_HD constexpr std::uint32_t near_shift(std::uint32_t place) {
  return place % 2 * (2 * kNearPlaces - 2);
}
static_assert(2 * 4098 + near_shift(4098) == sizeof(std::uint32_t) * near_index(4098) &&
              2 * 4099 + near_shift(4099) == sizeof(std::uint32_t) * near_index(4099));

}  // namespace fugu::kernels
