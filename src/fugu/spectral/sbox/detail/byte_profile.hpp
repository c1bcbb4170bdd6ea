// Nonlinearities of components in lanes of eight bits, for boxes of at most eight inputs. Internal.
//
// A block is 32 masks b that differ in their five low bits; lane l of a vector belongs to mask l. A box of n
// < 8 inputs is treated as one of 8 that ignores the others, which multiplies max |W| by 2^(8-n).
#pragma once

#include <array>

#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral::detail {

inline constexpr std::size_t kBytePoints = 256;
inline constexpr std::size_t kByteLanes = 32;
inline constexpr int kByteLaneBits = 5;
static_assert(kByteLanes == std::size_t{1} << kByteLaneBits);

struct ByteBox {
  alignas(32) std::int8_t patterns[kBytePoints][kByteLanes];      // (-1)^(l.S(x)), mask l
  alignas(32) std::int8_t coordinates[kMaxOutputs][kBytePoints];  // (-1)^y_j
  int blocks_bits;                                                // there are 2^blocks_bits blocks
};

ByteBox byte_box(const SBox& box);

struct ByteProfile {
  std::array<std::uint64_t, 129> counts{};  // by max |W| / 2
  unsigned largest = 0;
  std::vector<std::uint32_t> masks;  // the masks that reach the largest
};

// Processes blocks [first, last) in Gray code order: consecutive ones differ in one bit of the mask. Mask 0
// is skipped.
#if defined(__x86_64__)
void profile_blocks_avx2(const ByteBox& box, std::uint64_t first, std::uint64_t last, ByteProfile& profile);
#else  // never called: best_isa() is the baseline
inline void profile_blocks_avx2(const ByteBox&, std::uint64_t, std::uint64_t, ByteProfile&) {}
#endif

}  // namespace fugu::spectral::detail
