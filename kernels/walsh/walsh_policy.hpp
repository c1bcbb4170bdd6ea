// Tile sizes and limits of the passes of the Walsh transform, of Boolean spectra and of dyadic convolutions
// on a device. The kernels and the planning of their launches share them. Measurements: tools/bench/results.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fugu::kernels {

// Tiles, in bits of the tile index (kernels/walsh/walsh_agent.hpp). Each pass has one of these.
inline constexpr int kSmallTileBits = 11;    // every type; 9 or 17 KB of shared memory
inline constexpr int kBatchTileBits = 13;    // contiguous 32-bit, both kinds 64-bit; 34 or 68 KB
inline constexpr int kTileBits = 14;         // 32-bit; 68 KB
inline constexpr int kChainTileBits64 = 12;  // 64-bit, chains only; 34 KB

// Ring tiles of 128 KB: while one is transformed, the next is copied (kernels/walsh/ring_agent.hpp).
// kRingBytes is the most shared memory of a block: three halves, in which 1 value in 9 is padding. Passes
// compute all of their bits, or 10 or 11 (32-bit) or 10 (64-bit) row bits, on data aligned to kPieceBytes.
constexpr int ring_tile_bits(std::size_t element_bytes) {
  return element_bytes == 8 ? 14 : 15;
}
inline constexpr std::size_t kRingBytes = 3 * 72 * 1024;
inline constexpr std::size_t kPieceBytes = 16;

// From this number of row bits on two passes use ring tiles, on chips with as much shared memory as an H200.
// There 2^25 and 2^26 32-bit values take 1.22 and 1.24 times the time of two passes' memory traffic
// (spectral_h200.csv at 0147fba5); a chain and a pass took 1.41 and 1.39.
inline constexpr int kMinRingRows = 10;

// Rows in one launch, whose tiles all run at the same time: the most values, the tiles, and the values per
// thread, in bits. 2^20 floats take 7.9 us, in tiles of 13 bits with 5 bits per thread 8.5, and in two
// launches 11 to 12, which is what the host takes for these (H100).
inline constexpr int kOneLaunchMaxBits = 20;
inline constexpr int kOnceTileBits = 12;
constexpr int once_tile_bits(int log2_size) {
  return log2_size <= 18 ? kSmallTileBits : kOnceTileBits;
}
inline constexpr int kOnceRegisterBits = 4;
static_assert(kOneLaunchMaxBits - kOnceTileBits <= 2 * kOnceRegisterBits);

// Values per thread, in bits, of the other tiles above; contiguous passes on ring tiles have 5.
constexpr int register_bits_of(int tile_bits) {
  return tile_bits == 11 ? 4 : tile_bits == 15 ? 6 : 5;
}

// The most stages of a strided pass: two register windows, and whole segments.
constexpr int most_strided_stages(int tile_bits, int register_bits, int segment_bits) {
  return 2 * register_bits < tile_bits - segment_bits ? 2 * register_bits : tile_bits - segment_bits;
}

// Bytes of shared memory per tile: 1 value in 32 is padding.
constexpr std::size_t tile_shared_bytes(int tile_bits, std::size_t element_bytes) {
  return ((std::size_t{1} << tile_bits) + (std::size_t{1} << (tile_bits - 5))) * element_bytes;
}

// Blocks per SM, so that the arithmetic of one block overlaps the memory accesses of another: as many as 64
// (128 for 64-bit values) registers per thread allow.
constexpr int blocks_per_sm(int tile_bits, std::size_t element_bytes) {
  return tile_bits == 14 ? 2 : tile_bits == 13 ? (element_bytes == 8 ? 2 : 4) : tile_bits == 12 ? 4 : 8;
}

// The least number of consecutive values that a strided pass accesses, in bits: 64 bytes. If a row of a tile
// is a part of a line of kLineBytes, blocks of neighbouring tiles share lines.
constexpr int segment_bits(std::size_t element_bytes) {
  return element_bytes == 8 ? 3 : 4;
}
inline constexpr std::size_t kLineBytes = 128;

// Chains: two passes in one launch, the second finding its input in L2. The time of a chain in passes over
// memory on an H200, n = 28 (spectral_h200.csv at 41326fd, "pass"), by tiles ahead: in chunks of 64 tiles
// 128: 1.70, 256: 1.61, 384 and 512: 1.57, 640: 1.59, 768: 1.66; in chunks of 256, 448: 1.72, 512: 1.60, 560:
// 1.59, 640: 1.62; two launches: 2.1. Besides a chunk, the 264 tiles that run there at the same time have to
// be ahead, and all of these have to stay in L2. Many small blocks hide each other's waits.
constexpr int chain_tile_bits(std::size_t element_bytes) {
  return element_bytes == 8 ? kChainTileBits64 : kBatchTileBits;
}
inline constexpr unsigned kAheadTiles = 304;
inline constexpr int kMaxChained = 8;
static_assert(kMaxChained <=
                  most_strided_stages(kBatchTileBits, register_bits_of(kBatchTileBits), segment_bits(4)) &&
              kMaxChained <=
                  most_strided_stages(kChainTileBits64, register_bits_of(kChainTileBits64), segment_bits(8)));
inline constexpr std::size_t kChainCacheBytes = std::size_t{40} << 20;

// Boolean functions: stages of the first pass, whose results fit 16 bits, and of a second pass of 16-bit
// values, which accesses 32 consecutive bytes.
inline constexpr int kBooleanFirstStages = 14;
inline constexpr int kBooleanTileBits = kBatchTileBits;
inline constexpr int kMaxNarrowStages = 10;
static_assert(1 << kBooleanFirstStages <= INT16_MAX);
static_assert(kMaxNarrowStages <=
              most_strided_stages(kTileBits, register_bits_of(kTileBits), segment_bits(2)));

// Up to this number of variables the last block writes the answer to the word for which the host waits: max
// |W| of 2^20 values then takes 18 us, with a copy 34 (H100). Many blocks would have to wait for the counter
// of finished blocks, which costs more than the copy.
inline constexpr int kMaxVariablesForAnswer = 24;
static_assert(kMaxVariablesForAnswer <= kBooleanFirstStages + kMaxNarrowStages,
              "the host waits for an answer that no lost value can change: that of two passes");

// The most threads per block with counters: as many as a multiprocessor's registers allow, so that the groups
// hide each other's waits.
inline constexpr int kCountingThreads = 1024;

// Rows of 16-bit floats, in pairs (kernels/walsh/pair_agent.hpp), where matrix units do not take them: tiles
// of pairs, for rows of up to one tile, and rows in two passes, a chain over a ring of 32 MB, which leads by
// as many tiles as given. In times of a copy, 2^28 float16 values on an H100: 2^17 to
// 2^20 2.09, 2.07, 2.20, 2.20 (leading by 304 2.18, 2.19, 2.29, 2.25), as pairs of launches 2.7.
inline constexpr int kHalfTileBits = 12;
inline constexpr int kMaxHalfTileBits = kHalfTileBits + 1;
inline constexpr int kMinHalfChainBits = kMaxHalfTileBits + 1;
inline constexpr int kMaxHalfBits = 21;
inline constexpr std::size_t kHalfRingPairs = std::size_t{4} << 20;
static_assert(kMaxHalfBits - 1 - kHalfTileBits <= 2 * register_bits_of(kHalfTileBits));
constexpr unsigned half_ahead_tiles(int log2_size) {
  return log2_size <= 18 ? 400 : log2_size == 19 ? 352 : log2_size == 20 ? 512 : 304;
}

// Rows of m 2^k pairs of floats (kernels/walsh/pair_agent.hpp): a block has a thread per column of pairs of
// one row, or of several short ones.
inline constexpr int kMaxBaseBits = 10;
constexpr int base_thread_bits(int log2_size) {
  return log2_size == kMaxBaseBits ? 9 : 8;
}
constexpr std::size_t base_row_bytes(int m, int log2_size) {
  const std::size_t pairs = static_cast<std::size_t>(m) << base_thread_bits(log2_size);
  return (pairs + pairs / 32) * 2 * sizeof(float);
}

// Rows of m 2^k 16-bit floats on matrix units (kernels/walsh/half_rows_agent.hpp), m being 1 for rows of 2^k:
// of a block the columns, in bits; of a lane its groups of columns, in bits; the bits of q that pass between
// lanes; values in a piece that a thread takes from shared memory; the blocks of a multiprocessor; and
// whether these stay, and load their next row while they finish the last. In times of a copy, 2^28 float16
// values on an H200, kernels alone: 2^12 in two rows and four blocks 1.02, by swaps 1.11; 2^14 with one swap
// 1.02, with two 1.06, without 1.19; 2^15 1.14, as 16 x 2^11 1.22; 2^16 1.52; 28 x 2^9 in five blocks 1.17,
// in four 1.24; 28 x 2^10 with one swap 1.24, with two 1.29; 40 x 2^7 in 12 blocks 1.04, in 16 1.08; 40 x 2^8
// in six blocks 1.09, in eight 1.24; 40 x 2^10 1.30, with one swap 1.43 (EXPERIMENTS.md).
struct HalfRowsShape {
  int column_bits;
  int group_bits;
  int swapped;
  int piece;
  int blocks;
  bool ahead;
};
inline constexpr int kMinHalfRowBits = 5;  // of 2^k: shorter ones would have factors that are 0
inline constexpr unsigned kHalfPiece = 8;  // values that a lane has of shorter rows
inline constexpr int kMinMatrixBits = 4;   // of m 2^k
inline constexpr int kMaxHalfBlockBits = 15;
inline constexpr int kMaxHalfRowBits = kMaxHalfBlockBits + 1;  // as 16 x 2^12
static_assert(kMaxHalfRowBits <= kMaxHalfBits);
constexpr HalfRowsShape half_rows_shape(int m, int k) {
  if (m == 1) {
    if (k <= 11) return {11, 3, 2, 4, 24, false};
    if (k == 12) return {13, 3, 0, 4, 4, false};
    if (k == 13) return {13, 3, 0, 4, 5, false};
    if (k == 14) return {14, 3, 1, 4, 3, false};
    return {15, 3, 1, 2, 1, true};
  }
  if (m == 16) return {k, 2, 2, 2, 1, false};
  if (m == 40) {
    if (k <= 7) return {7, 2, 2, 4, 12, false};
    return {k, 2, 2, 4, k == 8 ? 6 : k == 9 ? 3 : 2, false};
  }
  if (k == 10) return {10, 2, m == 28 ? 1 : 2, 4, m == 12 ? 4 : 3, false};
  if (k == 9) return {9, 1, 2, 4, m == 12 ? 8 : m == 20 ? 6 : 5, false};
  if (m == 12) return {8, 2, 2, 4, 20, false};
  if (k == 8) return {8, 2, 2, 4, m == 20 ? 16 : 12, false};
  return {9, 1, 2, 4, m == 20 ? 6 : 5, false};
}
// The columns of a warp, in bits. Of 40 rows one bit of the groups is a row's.
constexpr int half_chunk_bits(int m, const HalfRowsShape& shape) {
  return (m == 1 ? 8 : m == 40 ? 5 : 6) + shape.group_bits;
}
// The values that are in a block's shared memory at a time, if it has any: all for m = 1, else those of four
// rows of the matrix, or of eight where it has 40.
constexpr unsigned half_shared_values(int m, int k) {
  return (m == 1 ? 1u : m == 40 ? 8u : 4u) << half_rows_shape(m, k).column_bits;
}
constexpr std::size_t half_rows_shared_bytes(int m, int k) {
  if (k <= half_chunk_bits(m, half_rows_shape(m, k))) return 0;
  return (m == 1 ? 1 : 2) * sizeof(float) * half_shared_values(m, k);
}
static_assert(half_rows_shared_bytes(1, kMaxHalfRowBits) == half_rows_shared_bytes(16, kMaxHalfRowBits - 4));

// Dyadic convolutions: tiles of the pass that multiplies, which has two of them in registers. kFewFused is
// the number of stages of this pass if it may have more: 2^27 values take (H200, us; "convolution pass" in
// spectral_h200.csv at 0147fba5) 32 bits, 5: 395, 6: 397, 7: 421, 8: 490; 64 bits, 6: 783, 7: 780, 8: 832.
// Chains of 5 to 8 stages differ by 2 %.
inline constexpr int kConvolveTileBits = 12;
inline constexpr int kConvolveRegisterBits = 4;
constexpr int convolve_blocks_per_sm(std::size_t element_bytes) {
  return element_bytes == 4 ? 4 : 2;
}
inline constexpr int kFewFused = 6;

}  // namespace fugu::kernels
