// Two integers in one word, low + 2^16 high. Sums and differences of such words are those of both integers,
// even when the low integer carries into the high one in between. When a word is read, the low integer must
// be from -2^15 to 2^15 - 1.
#pragma once

#include <cstdint>

#include "fugu/core/hd.hpp"
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

}  // namespace fugu::kernels
