// The ends of Boolean spectra: packed truth tables in, several small values in one integer between.
//
// Neighbouring values v[0], v[1], ... are one integer v[0] + v[1] 2^w + v[2] 2^2w ...: additions and
// subtractions of such integers do all of them at once, and nothing is lost while every value stays within w
// bits, because the sum of the whole is exact. Quads have w = 8, pairs w = 16.
#pragma once

#include "kernels/walsh/walsh_agent.hpp"

namespace fugu::kernels {

// (-1)^f(x) of a truth table, f(x) being bit x % 32 of word x / 32. For windows of 5 and up.
struct PolaritySource {
  const std::uint32_t* words;
  FUGU_HD int operator()(std::uint64_t start, std::uint64_t beyond) const {
    return 1 - 2 * static_cast<int>(words[(start >> 5) + (beyond >> 5)] >> (start & 31) & 1);
  }
};

// The quad of four bits, the lowest first, with the stages of the two index bits inside it done.
inline constexpr unsigned kQuads = 16;
FUGU_HD std::int32_t quad_of_bits(unsigned bits) {
  int v[4];
  for (unsigned i = 0; i < 4; ++i) v[i] = 1 - 2 * static_cast<int>(bits >> i & 1);
  core::butterflies<2>(v, 0, 2);
  return v[0] + v[1] * (1 << 8) + v[2] * (1 << 16) + v[3] * (1 << 24);
}

// Bytes of x, zero-extended to 16 bits: byte `low`, and byte low + 1 in the high half.
template <unsigned low>
FUGU_HD std::uint32_t two_bytes(std::uint32_t x) {
#if defined(__CUDA_ARCH__)
  return __byte_perm(x, 0, 0x4040u + 0x101u * low + 0x100u);
#else
  return (x >> (8 * low) & 0xffu) | (x >> (8 * low + 8) & 0xffu) << 16;
#endif
}

// The pairs that a quad of values from -128 to 127 holds.
FUGU_HD void split_quad(std::int32_t quad, std::int32_t& first, std::int32_t& second) {
  const std::uint32_t biased = static_cast<std::uint32_t>(quad) + 0x80808080u;
  first = static_cast<std::int32_t>(two_bytes<0>(biased) - 0x00800080u);
  second = static_cast<std::int32_t>(two_bytes<2>(biased) - 0x00800080u);
}

// 64 neighbouring values as 32 pairs, with the six stages of the index bits inside them done. `quads` is
// quad_of_bits() as a table.
FUGU_HD void pairs_of_bits(const std::int32_t* quads, std::uint64_t bits, std::int32_t (&pairs)[32]) {
  std::int32_t x[kQuads];
  FUGU_UNROLL
  for (unsigned i = 0; i < kQuads; ++i) x[i] = quads[bits >> (4 * i) & 15];
  core::butterflies<4>(x, 0, 4);
  FUGU_UNROLL
  for (unsigned i = 0; i < kQuads; ++i) split_quad(x[i], pairs[2 * i], pairs[2 * i + 1]);
}

// Such a pair as two 16-bit integers in memory order.
struct PairSink {
  std::uint32_t* data;
  FUGU_HD void operator()(std::uint64_t at, std::int32_t pair) const {
    const std::uint32_t bits = static_cast<std::uint32_t>(pair);
    data[at] = bits + ((bits & 0x8000u) << 1);  // what a negative low half borrowed from the high one
  }
};

// Values of a later pass as 16-bit integers, which those of most functions fit. *beyond is set where one does
// not.
struct NarrowSink {
  std::int16_t* out;
  std::uint32_t* beyond;
  std::uint32_t seen = 0;

  FUGU_HD void begin() { seen = 0; }
  FUGU_HD void operator()(std::uint64_t at, std::int32_t value) {
    out[at] = static_cast<std::int16_t>(value);
    seen |= static_cast<std::uint32_t>(value) + 0x8000u;
  }
  FUGU_HD void end() const {
    if (seen >> 16 != 0) *beyond = 1;
  }
};

}  // namespace fugu::kernels
