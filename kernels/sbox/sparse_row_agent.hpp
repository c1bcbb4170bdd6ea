// Rows of the difference distribution table in which most entries have few pairs, and their transforms over
// b, for boxes of 17 to 20 outputs.
//
// A counter has four bits, at most 15 pairs; a word has eight counters. A larger count carries into the next
// counter, so the row's counters add up to less than all pairs: r(a,0) is then wrong.
//
// The transform has two passes: the first computes the stages over the 11 lowest bits of b in 16-bit values,
// the second the others in 32-bit values. sparse_column() gives the order of b between them and afterwards.
#pragma once

#include "fugu/core/butterfly.hpp"
#include "kernels/sbox/packed.hpp"
#include "kernels/sbox/sparse_row_launch.hpp"

namespace fugu::kernels {

// The index of the word with the counter of b in its row, and the value that adds 1 to this counter.
FUGU_HD constexpr std::uint32_t nibble_word(std::uint32_t b) {
  return b >> 3;
}
FUGU_HD std::uint32_t nibble_one(std::uint32_t b) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_l(0, 1, b << 2);  // the shift is taken modulo 32
#else
  return std::uint32_t{1} << (b << 2 & 31);
#endif
}

inline constexpr std::uint32_t kSparseTileWords = 1u << (kSparseTileBits - 1);  // two 16-bit values each
inline constexpr unsigned kLanes = 32;

// The second pass: a block of kSparseThreads threads with 32 values each computes a group, which has
// sparse_group_words() words of each of the 2^high_bits tiles, high_bits = outputs - kSparseTileBits. After
// get(), value i of a thread is that of the column sparse_column((32 group + i) kSparseThreads + thread).
FUGU_HD constexpr std::uint32_t sparse_groups(int high_bits) {
  return kSparseTileWords / sparse_group_words(high_bits);
}

// Returns the index of word `word` of tile `tile` in a row between the passes, which is in order of groups.
FUGU_HD constexpr std::uint32_t sparse_place(std::uint32_t tile, std::uint32_t word, int high_bits) {
  const std::uint32_t each = sparse_group_words(high_bits);
  return ((word / each << high_bits) + tile) * each + word % each;
}

// One lane of a warp that transforms a tile: 64 counters, two per word in the form of packed.hpp. Counters
// add up to 15 2^11 < 2^15.
class SparseTileThread {
 public:
  static constexpr unsigned kShared = kLanes * (kLanes + 1);

  FUGU_HD explicit SparseTileThread(unsigned lane) : lane_(lane) {}

  // `words` has the tile's 2^8 words, 16-byte aligned; take() is called with the eight of this lane. The
  // values of a lane differ in the bits 0, 1, 3, 4 and 10 of b, and in bit 2 within a word.
  template <class Take>
  FUGU_HD void load(const std::uint32_t* words, const Take& take) {
    struct alignas(16) Four {
      std::uint32_t words[4];
    };
    std::uint32_t mine[8];
    FUGU_UNROLL
    for (unsigned half = 0; half < 2; ++half) {
      const Four four = reinterpret_cast<const Four*>(words)[half * kLanes + lane_];
      FUGU_UNROLL
      for (unsigned j = 0; j < 4; ++j) mine[half * 4 + j] = four.words[j];
    }
    take(mine);
    FUGU_UNROLL
    for (unsigned j = 0; j < 32; ++j)
      x_[j] = static_cast<std::int32_t>(mine[j / 4] >> (j % 4 * 4) & 0xf000fu);
    core::butterflies<5>(x_, 0, 5);
  }

  FUGU_HD void put(std::int32_t* shared) const {
    FUGU_UNROLL
    for (unsigned j = 0; j < kLanes; ++j) shared[j * (kLanes + 1) + lane_] = x_[j];
  }

  // Call after all lanes have called put(). Gets the values that differ in the bits 5 to 9 of b.
  FUGU_HD void get(const std::int32_t* shared) {
    FUGU_UNROLL
    for (unsigned j = 0; j < kLanes; ++j) x_[j] = shared[lane_ * (kLanes + 1) + j];
    core::butterflies<5>(x_, 0, 5);
  }

  // Writes the values to a row. The low and high 16 bits of a word are the values for bit 2 of b = 0 and 1.
  FUGU_HD void store(std::uint32_t* row, std::uint32_t tile, int high_bits) const {
    FUGU_UNROLL
    for (unsigned j = 0; j < kLanes; ++j) {
      const std::int32_t u = low_of(x_[j]), v = high_of(x_[j]);
      row[sparse_place(tile, j * kLanes + lane_, high_bits)] =
          (static_cast<std::uint32_t>(u + v) & 0xffffu) | static_cast<std::uint32_t>(u - v) << 16;
    }
  }

 private:
  unsigned lane_;
  std::int32_t x_[kLanes];
};

// One thread of the second pass. It holds 16 words of the group first, then r / 2 for 32 values of b.
template <int high_bits>
class SparseColumnThread {
 public:
  static constexpr unsigned kEach = sparse_group_words(high_bits);
  static constexpr int kFirstBits = high_bits - 5;  // stages before values change threads
  static constexpr unsigned kFirst = 1u << kFirstBits;
  static constexpr unsigned kWords = 16;
  // Threads that put or get neighbouring values use different banks.
  static constexpr unsigned kStride = kSparseThreads + (kEach < 32 ? kEach : 0);
  static constexpr unsigned kShared = 32 * kStride;

  FUGU_HD explicit SparseColumnThread(unsigned thread) : thread_(thread) {}

  // `words` are those of the group in a row. They are requested long before they are needed.
  FUGU_HD void fetch(const std::uint32_t* words) {
    FUGU_UNROLL
    for (unsigned i = 0; i < kWords; ++i)
      words_[i] = words[(low_tile(i) + 32 * (i % kFirst)) * kEach + slot(i) % kEach];
  }

  FUGU_HD void put(std::int32_t* shared) const {
    std::int32_t low[kWords], high[kWords];
    FUGU_UNROLL
    for (unsigned i = 0; i < kWords; ++i) {
      low[i] = static_cast<std::int16_t>(words_[i]);
      high[i] = static_cast<std::int32_t>(words_[i]) >> 16;
    }
    core::butterflies<4>(low, 0, kFirstBits);
    core::butterflies<4>(high, 0, kFirstBits);
    FUGU_UNROLL
    for (unsigned i = 0; i < kWords; ++i) {
      std::int32_t* const start = shared + low_tile(i) * kStride + i % kFirst * 2 * kEach + slot(i) % kEach;
      start[0] = low[i];
      start[kEach] = high[i];
    }
  }

  // Call after put() and a barrier.
  FUGU_HD void get(const std::int32_t* shared, std::int32_t (&halves)[32]) const {
    FUGU_UNROLL
    for (unsigned i = 0; i < 32; ++i) halves[i] = shared[i * kStride + thread_];
    core::butterflies<5>(halves, 0, 5);
  }

 private:
  FUGU_HD unsigned slot(unsigned i) const { return thread_ + kSparseThreads * (i / kFirst); }
  FUGU_HD unsigned low_tile(unsigned i) const { return slot(i) / kEach; }

  unsigned thread_;
  std::uint32_t words_[kWords];
};

// A thread sums 32 columns over at most kSparseRowsEach rows, so that the sums of squares of values up to
// kSparseNear fit 32 bits.
inline constexpr std::uint32_t kSparseRowsEach = 256;
inline constexpr std::uint32_t kSparseNear = 4095;

class SparseSums {
 public:
  // Adds |halves[i]| to column i. Calls far(i, |halves[i]|) instead if it is above `near`, which is at most
  // kSparseNear. Changes `halves`.
  template <class Far>
  FUGU_HD void add(std::int32_t (&halves)[32], std::uint32_t near, Far far) {
    std::uint32_t most = 0;
    FUGU_UNROLL
    for (unsigned i = 0; i < 32; ++i) {
      halves[i] = halves[i] < 0 ? -halves[i] : halves[i];
      const auto half = static_cast<std::uint32_t>(halves[i]);
      most = half > most ? half : most;
    }
    if (most > near) put_apart(halves, near, far);
    FUGU_UNROLL
    for (unsigned i = 0; i < 32; i += 2) {
      const auto low = static_cast<std::uint32_t>(halves[i]),
                 high = static_cast<std::uint32_t>(halves[i + 1]);
      largest_[i / 2] = larger_halves(largest_[i / 2], low | high << 16);
      squares_[i] += low * low;
      squares_[i + 1] += high * high;
    }
  }

  // The results for the values that were added.
  FUGU_HD std::uint32_t largest(unsigned i) const { return largest_[i / 2] >> (i % 2 * 16) & 0xffffu; }
  FUGU_HD std::uint32_t squares(unsigned i) const { return squares_[i]; }

 private:
  template <class Far>
  FUGU_HD static void put_apart(std::int32_t (&halves)[32], std::uint32_t near, Far& far) {
    FUGU_UNROLL
    for (unsigned i = 0; i < 32; ++i) {
      if (static_cast<std::uint32_t>(halves[i]) <= near) continue;
      far(i, static_cast<std::uint32_t>(halves[i]));
      halves[i] = 0;
    }
  }

  std::uint32_t largest_[16] = {};
  std::uint32_t squares_[32] = {};
};

}  // namespace fugu::kernels
