// How the passes of the Walsh transform, of Boolean spectra and of dyadic convolutions are laid out on a
// device. Shared by the kernels and by what plans their launches. Samples: tools/bench/results.
#pragma once

#include <cstddef>

namespace fugu::kernels {

// Tiles, in bits of the tile index (kernels/walsh/walsh_agent.hpp). A pass takes one of these.
inline constexpr int kSmallTileBits = 11;    // every type; 9 or 17 KB of shared memory
inline constexpr int kBatchTileBits = 13;    // contiguous 32-bit, both kinds 64-bit; 34 or 68 KB
inline constexpr int kTileBits = 14;         // 32-bit; 68 KB
inline constexpr int kChainTileBits64 = 12;  // 64-bit, chains only; 34 KB
inline constexpr int kOneLaunchMaxBits = 18;

// Tiles of 128 KB, of which one is worked on while the next one lands (kernels/walsh/ring_agent.hpp), and
// what a block of theirs has in shared memory at most: three halves, 1 value in 9 padding. Passes of all
// their bits, or of 10 or 11 (32-bit) or 10 (64-bit) rows, on data aligned to kPieceBytes.
constexpr int ring_tile_bits(std::size_t element_bytes) {
  return element_bytes == 8 ? 14 : 15;
}
inline constexpr std::size_t kRingBytes = 3 * 72 * 1024;
inline constexpr std::size_t kPieceBytes = 16;

// Two passes on tiles of a ring from so many rows on, on chips with as much shared memory as an H200. There
// 2^25 and 2^26 32-bit values take 1.22 and 1.24 times what the bytes of two passes take
// (spectral_h200.csv); in a chain and a pass they took 1.41 and 1.39.
inline constexpr int kLeastRingRows = 10;

// Values one thread holds, in bits, of the tiles above; in contiguous passes of a ring 5.
constexpr int register_bits_of(int tile_bits) {
  return tile_bits == 11 ? 4 : tile_bits == 15 ? 6 : 5;
}

// Bytes of shared memory of a tile: 1 value in 32 is padding.
constexpr std::size_t tile_shared_bytes(int tile_bits, std::size_t element_bytes) {
  return ((std::size_t{1} << tile_bits) + (std::size_t{1} << (tile_bits - 5))) * element_bytes;
}

// Blocks an SM should hold at once, so that one block's memory time covers another's arithmetic: as many as
// 64 (128 for 64-bit values) registers per thread leave room for.
constexpr int blocks_per_sm(int tile_bits, std::size_t element_bytes) {
  return tile_bits == 14 ? 2 : tile_bits == 13 ? (element_bytes == 8 ? 2 : 4) : tile_bits == 12 ? 4 : 8;
}

// Consecutive values that a strided pass should touch at least: 64 bytes of them. Blocks of neighbouring
// tiles share lines of kLineBytes where a row of a tile is a part of one.
constexpr int segment_bits(std::size_t element_bytes) {
  return element_bytes == 8 ? 3 : 4;
}
inline constexpr std::size_t kLineBytes = 128;

// Chains: two passes in one launch, the second finding its input in L2. Passes over memory that a chain of
// two is worth on an H200, n = 28 (spectral_h200.csv at 41326fd, "pass"), by tiles ahead: in chunks of 64
// tiles 128: 1.70, 256: 1.61, 384 and 512: 1.57, 640: 1.59, 768: 1.66; in chunks of 256, 448: 1.72, 512:
// 1.60, 560: 1.59, 640: 1.62; two launches: 2.1. Beyond a chunk, the 264 tiles that blocks there are at work
// on have to be ahead, and all of them to stay in L2. Many small blocks hide each other's waiting.
constexpr int chain_tile_bits(std::size_t element_bytes) {
  return element_bytes == 8 ? kChainTileBits64 : kBatchTileBits;
}
inline constexpr unsigned kAheadTiles = 304;
inline constexpr int kMostChained = 8;
inline constexpr std::size_t kChainCacheBytes = std::size_t{40} << 20;

// Boolean functions: stages of the first pass, whose results fit 16 bits, and of a second pass of 16-bit
// values, which touches 32 bytes of consecutive ones.
inline constexpr int kBooleanFirstStages = 14;
inline constexpr int kBooleanTileBits = kBatchTileBits;
inline constexpr int kMostNarrowStages = 10;

// Histograms, and up to fewer variables max |W| alone, by columns and rows, and how many variables are a
// row's. H200, us, in place of passes on tiles, both with a thread that waits for the answer and not for the
// stream's end: max |W| of 16 takes 13.1 by tiles, of 18 to 21 12.2, 12.7, 13.1 and 13.9 by columns.
inline constexpr int kLeastColumns = 18;
inline constexpr int kMostColumns = 24;
inline constexpr int kMostMaximumColumns = 21;
constexpr int row_variables(int variables) {
  return variables < 24 ? 13 : 14;
}

// In one launch by matrix units, in which every block reads the whole truth table. H200, us: max |W| of 18
// and 20 variables takes 9.2 and 12.4, by columns 12.5 and 13.4.
inline constexpr int kLeastOnce = 18;
inline constexpr int kMostOnce = 20;

// Rows that are counted by a block each.
inline constexpr unsigned kFewRows = 128;

// Up to so many variables the last block writes the answer where the host waits for it: no copy, and memory
// goes back while the GPU works. Where blocks are many, each would wait for the counter of those that have
// finished, and one copy is less.
inline constexpr int kMostVariablesForAnswer = 24;

// Histograms: threads of a block with counters, at most; as many as a multiprocessor's registers allow, so
// that the groups hide each other's waiting.
inline constexpr int kCountingThreads = 1024;

// From so many variables on a block counts in 16 bits first, and in 32 bits only where that was too few: of a
// function whose spectrum has few values. 2^30 values of a random function (H200): 4.2 ms, in 32 bits 4.9.
inline constexpr int kLeastNarrowCounters = 29;

// Dyadic convolutions: tiles of the pass that multiplies, with two of them in registers. The stages that this
// pass does by choice where it could do more: of 2^27 values (H200, us; "convolution pass" in
// spectral_h200.csv) 32 bits, 5: 395, 6: 397, 7: 421, 8: 490; 64 bits, 6: 783, 7: 780, 8: 832. Chains of 5 to
// 8 stages differ by 2 %.
inline constexpr int kConvolveTileBits = 12;
inline constexpr int kConvolveRegisterBits = 4;
constexpr int convolve_blocks_per_sm(std::size_t element_bytes) {
  return element_bytes == 4 ? 4 : 2;
}
inline constexpr int kFewFused = 6;

}  // namespace fugu::kernels
