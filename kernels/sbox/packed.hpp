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

// Return the maximum or minimum of two or three unsigned 16-bit integers, in each half of a word.
FUGU_HD std::uint32_t larger_halves(std::uint32_t a, std::uint32_t b) {
#if defined(__CUDA_ARCH__)
  return __vmaxu2(a, b);
#else
  const std::uint32_t low = (a & 0xffffu) > (b & 0xffffu) ? a & 0xffffu : b & 0xffffu;
  return low | (a >> 16 > b >> 16 ? a >> 16 : b >> 16) << 16;
#endif
}
FUGU_HD std::uint32_t larger_halves(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
#if defined(__CUDA_ARCH__)
  return __vimax3_u16x2(a, b, c);
#else
  return larger_halves(larger_halves(a, b), c);
#endif
}
FUGU_HD std::uint32_t smaller_halves(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
#if defined(__CUDA_ARCH__)
  return __vimin3_u16x2(a, b, c);
#else
  return ~larger_halves(~a, ~b, ~c);
#endif
}

// Two words with their fields of `width` bits interleaved: the fields at even places of both, and those at
// odd places. `mask` selects the even places.
struct Spread {
  FUGU_HD Spread(std::uint32_t a, std::uint32_t b, int width, std::uint32_t mask)
      : even((a & mask) | (b << width & ~mask)), odd((a >> width & mask) | (b & ~mask)) {}
  std::uint32_t even, odd;
};

// Transposes four words as eight matrices of 4 x 4 bits, one per nibble.
FUGU_HD void transpose_nibbles(const std::uint32_t (&in)[4], std::uint32_t (&out)[4]) {
  const Spread low(in[0], in[1], 1, 0x55555555u), high(in[2], in[3], 1, 0x55555555u);
  const Spread even(low.even, high.even, 2, 0x33333333u), odd(low.odd, high.odd, 2, 0x33333333u);
  out[0] = even.even, out[1] = odd.even, out[2] = even.odd, out[3] = odd.odd;
}

}  // namespace fugu::kernels
