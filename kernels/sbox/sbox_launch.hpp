// Common parts of the launchers of the S-box kernels. Each family of kernels has a header
// *_launch.hpp with its launchers. Their arguments are plain data with device pointers. Every launcher queues
// work on `stream` and returns CUDA's status (0 is success). These headers include no CUDA header.
//
// S is a box of `inputs` inputs and `outputs` outputs: W(a,b) is its Walsh spectrum, delta(a,b) its
// difference distribution table, r(a,b) its autocorrelation table; wt() is the Hamming weight. Counters,
// sums, maxima and minima are combined with the values already there, which the caller sets; only
// ComponentFindings, ComponentSummary and the results of ByteOrder and SmallBoxes are written anew.
#pragma once

#include <cstdint>

struct CUstream_st;

namespace fugu::kernels {

inline constexpr std::uint32_t kNoWeight = 64;
inline constexpr std::uint32_t kNoInput = ~std::uint32_t{0};

// Spectra and rows that fit one block's shared memory have 2^12, 2^14 or 2^16 values. Smaller boxes are
// treated as larger ones that ignore the additional inputs or never set the additional outputs.
inline constexpr int kMostBlockBits = 16;
constexpr int block_bits(int bits) {
  return bits <= 12 ? 12 : bits <= 14 ? 14 : 16;
}

}  // namespace fugu::kernels
