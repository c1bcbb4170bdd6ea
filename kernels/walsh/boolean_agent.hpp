// The first and last steps of Boolean spectra: packed truth tables, and several small values in one integer.
//
// The integer v[0] + v[1] 2^w + v[2] 2^2w + ... holds neighbouring values v[0], v[1], ...: one addition or
// subtraction applies to all of them. The results are exact while every value fits w bits, because the sum is
// exact. Quads have w = 8, pairs w = 16.
#pragma once

#include "kernels/walsh/walsh_agent.hpp"

namespace fugu::kernels {

// (-1)^f(x) of a truth table; f(x) is bit x % 32 of word x / 32. For windows from 5 on.
struct PolaritySource {
  const std::uint32_t* words;
  FUGU_HD int operator()(std::uint64_t start, std::uint64_t beyond) const {
    return 1 - 2 * static_cast<int>(words[(start >> 5) + (beyond >> 5)] >> (start & 31) & 1);
  }
};

// Returns the quad of four bits, lowest first, after the stages of its two index bits.
inline constexpr unsigned kQuads = 16;
FUGU_HD std::int32_t quad_of_bits(unsigned bits) {
  int v[4];
  for (unsigned i = 0; i < 4; ++i) v[i] = 1 - 2 * static_cast<int>(bits >> i & 1);
  core::butterflies<2>(v, 0, 2);
  return v[0] + v[1] * (1 << 8) + v[2] * (1 << 16) + v[3] * (1 << 24);
}

// Returns byte `low` of x in the low half and byte low + 1 in the high half, both zero-extended to 16 bits.
template <unsigned low>
FUGU_HD std::uint32_t two_bytes(std::uint32_t x) {
#if defined(__CUDA_ARCH__)
  return __byte_perm(x, 0, 0x4040u + 0x101u * low + 0x100u);
#else
  return (x >> (8 * low) & 0xffu) | (x >> (8 * low + 8) & 0xffu) << 16;
#endif
}

// Splits a quad of values from -128 to 127 into two pairs.
FUGU_HD void split_quad(std::int32_t quad, std::int32_t& first, std::int32_t& second) {
  const std::uint32_t biased = static_cast<std::uint32_t>(quad) + 0x80808080u;
  first = static_cast<std::int32_t>(two_bytes<0>(biased) - 0x00800080u);
  second = static_cast<std::int32_t>(two_bytes<2>(biased) - 0x00800080u);
}

// Converts 64 neighbouring values to 32 pairs and computes the stages of their six index bits. `quads` is a
// table of quad_of_bits().
FUGU_HD void pairs_of_bits(const std::int32_t* quads, std::uint64_t bits, std::int32_t (&pairs)[32]) {
  std::int32_t x[kQuads];
  FUGU_UNROLL
  for (unsigned i = 0; i < kQuads; ++i) x[i] = quads[bits >> (4 * i) & 15];
  core::butterflies<4>(x, 0, 4);
  FUGU_UNROLL
  for (unsigned i = 0; i < kQuads; ++i) split_quad(x[i], pairs[2 * i], pairs[2 * i + 1]);
}

// Stores such a pair as two 16-bit integers.
struct PairSink {
  std::uint32_t* data;
  FUGU_HD void operator()(std::uint64_t at, std::int32_t pair) const {
    const std::uint32_t bits = static_cast<std::uint32_t>(pair);
    data[at] = bits + ((bits & 0x8000u) << 1);  // undoes the borrow of a negative low half
  }
};

// Stores values of a later pass as 16-bit integers, which those of most functions fit. Sets *beyond if one
// does not fit.
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
