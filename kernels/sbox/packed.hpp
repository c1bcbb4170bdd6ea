// Two integers in one word, low + 2^16 high, and the counters of such. Sums and differences of such words are
// those of both integers, even when the low integer carries into the high one in between. When a word is
// read, the low integer must be from -2^15 to 2^15 - 1.
#pragma once

#include "kernels/sbox/sbox_launch.hpp"
#include "kernels/walsh/moebius_agent.hpp"

namespace fugu::kernels {

FUGU_HD constexpr std::int32_t low_of(std::int32_t word) {
  return static_cast<std::int16_t>(word);
}
FUGU_HD constexpr std::int32_t high_of(std::int32_t word) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(word) -
                                   static_cast<std::uint32_t>(low_of(word))) >>
         16;
}

FUGU_HD constexpr std::uint32_t magnitude(std::int32_t value) {
  return static_cast<std::uint32_t>(value < 0 ? -value : value);
}

// Return the two low, or the two high, 16-bit integers of two words.
FUGU_HD std::uint32_t low_halves(std::uint32_t a, std::uint32_t b) {
#if defined(__CUDA_ARCH__)
  return __byte_perm(a, b, 0x5410);
#else
  return (a & 0xffffu) | b << 16;
#endif
}
FUGU_HD std::uint32_t high_halves(std::uint32_t a, std::uint32_t b) {
#if defined(__CUDA_ARCH__)
  return __byte_perm(a, b, 0x7632);
#else
  return a >> 16 | (b & 0xffff0000u);
#endif
}

// The places of the counters of W / 2 for -kNearHalf <= W / 2 < kNearHalf, two offsets in a word.
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
