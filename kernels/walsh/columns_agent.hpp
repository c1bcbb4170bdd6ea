// Statistics of Boolean spectra in two passes, starting with the stages of the high variables. The first pass
// computes them on columns of the packed truth table; the second reads rows of consecutive values.
//
// Values are Y = W / 2, which are integers after the first stage: |Y| <= 2^(k - 1) after k stages, so that 7
// stages fit bytes and 15 fit 16 bits. After more stages values are floats, exact up to 2^24.
//
// The position of a value among the 2^low_bits of its row is a permutation of index bits that is never
// undone: the second pass computes the stages of all of them, and statistics do not depend on the order. The
// integers between the passes are the sums v[0] + v[1] 2^16 of kernels/walsh/boolean_agent.hpp.
#pragma once

#include "kernels/walsh/boolean_agent.hpp"
#include "kernels/walsh/walsh_policy.hpp"

namespace fugu::kernels {

inline constexpr std::uint32_t kEachByte = 0x01010101u;
inline constexpr std::uint32_t kEachHalf = 0x00010001u;
inline constexpr int kByteStages = 7;

// A block's columns of all 2^row_bits rows of 2^low_bits values, 32 columns per word. A thread holds quads,
// four columns of a row: at first those of 32 consecutive rows; after put(), a barrier and get(), those of
// rows that differ in the bits from 5 on.
template <int row_bits, int low_bits>
struct ColumnTile {
  static_assert(5 <= row_bits && row_bits <= 10);
  static constexpr int kWordBits = row_bits == 5 ? 2 : 1;  // words of a tile per row; at least one warp
  static constexpr int kQuadBits = kWordBits + 3;
  static constexpr int kValueBits = row_bits + kWordBits + 5;
  static constexpr int kLater = row_bits - 5;
  static constexpr unsigned kRows = 32;
  static constexpr int kThreads = 1 << (kLater + kQuadBits);

  std::uint32_t x[kRows];

  // The lanes of a warp put rows at distance 32, which use different banks.
  FUGU_HD static constexpr unsigned place(unsigned row, unsigned quad) {
    return (row << kQuadBits) + (row / kRows) * 16 + quad;
  }
  static constexpr std::size_t kSharedBytes = sizeof(std::uint32_t) * place(1u << row_bits, 0);

  FUGU_HD static unsigned quad_of(unsigned thread) { return thread & ((1u << kQuadBits) - 1); }
  FUGU_HD static unsigned group_of(unsigned thread) { return thread >> kQuadBits; }

  // Reads a quad, bits x, x + 8, x + 16 and x + 24 of a word, from each row, and computes the stages of the
  // row bits [0, 5).
  FUGU_HD void load(const std::uint32_t* words, std::uint64_t tile, unsigned thread) {
    constexpr unsigned kRowWords = 1u << (low_bits - 5);
    const unsigned quad = quad_of(thread);
    const std::uint32_t* from = words + (tile << kWordBits) + quad / 8 + group_of(thread) * kRows * kRowWords;
    FUGU_UNROLL
    for (unsigned j = 0; j < kRows; ++j) x[j] = from[j * kRowWords];
    FUGU_UNROLL
    for (unsigned j = 0; j < kRows; ++j) x[j] = x[j] >> (quad % 8) & kEachByte;
    FUGU_UNROLL
    for (unsigned j = 0; j < kRows; j += 2) {  // ((-1)^p + (-1)^q) / 2 and ((-1)^p - (-1)^q) / 2
      const std::uint32_t p = x[j], q = x[j + 1];
      x[j] = kEachByte - p - q;
      x[j + 1] = q - p;
    }
    core::butterflies<5>(x, 1, 5);
  }

  FUGU_HD void put(std::uint32_t* shared, unsigned thread) const {
    std::uint32_t* to = shared + place(group_of(thread) * kRows, quad_of(thread));
    FUGU_UNROLL
    for (unsigned j = 0; j < kRows; ++j) to[place(j, 0)] = x[j];
  }

  // From here on the distance in rows from x[0] to x[j].
  FUGU_HD static constexpr unsigned row_of(unsigned j) {
    return (j & ((1u << kLater) - 1)) * kRows + (j >> kLater << kLater);
  }
  FUGU_HD void get(const std::uint32_t* shared, unsigned thread) {
    const std::uint32_t* from = shared + place(group_of(thread), quad_of(thread));
    FUGU_UNROLL
    for (unsigned j = 0; j < kRows; ++j) x[j] = from[place(row_of(j), 0)];
  }

  // Computes the stages of the row bits from 5 on, and writes each quad as two pairs to its place in its row.
  // A bias prevents borrows between bytes; after the following stages it is only in the sum of all values.
  FUGU_HD void store(std::uint32_t* out, std::uint64_t tile, unsigned thread) {
    struct alignas(8) Quad {
      std::uint32_t first, second;
    };
    constexpr unsigned kRowQuads = 1u << (low_bits - 2);
    Quad* to =
        reinterpret_cast<Quad*>(out) + group_of(thread) * kRowQuads + (tile << kQuadBits) + quad_of(thread);
    core::butterflies<5>(x, 0, kInBytes);
    FUGU_UNROLL
    for (unsigned part = 0; part < 1u << kInBytes; ++part) {
      std::uint32_t first[kPart], second[kPart];
      FUGU_UNROLL
      for (unsigned i = 0; i < kPart; ++i) split(x[part + (i << kInBytes)], first[i], second[i]);
      core::butterflies<kPartBits>(first, 0, kLater - kInBytes);
      core::butterflies<kPartBits>(second, 0, kLater - kInBytes);
      FUGU_UNROLL
      for (unsigned i = 0; i < kPart; ++i) {
        const std::uint32_t bias = (i & ((1u << (kLater - kInBytes)) - 1)) == 0 ? kSumBias : 0;
        to[row_of(part + (i << kInBytes)) * kRowQuads] = {first[i] - bias, second[i] - bias};
      }
    }
  }

 private:
  static constexpr int kInBytes = smaller(kLater, kByteStages - 5);
  static constexpr int kPartBits = 5 - kInBytes;
  static constexpr unsigned kPart = 1u << kPartBits;
  static constexpr std::uint32_t kBias = 1u << (kByteStages - 1);
  static constexpr std::uint32_t kSumBias = (kBias << (kLater - kInBytes)) * kEachHalf;

  FUGU_HD static void split(std::uint32_t quad, std::uint32_t& first, std::uint32_t& second) {
    const std::uint32_t biased = quad + kBias * kEachByte;
    first = two_bytes<0>(biased);
    second = two_bytes<2>(biased);
  }
};

FUGU_HD float float_of_bits(std::uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}

// Returns a half of a word plus 2^23.
template <int half>
FUGU_HD float float_of_half(std::uint32_t word) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(__byte_perm(word, 0x4b00u, half == 0 ? 0x5410u : 0x5432u));
#else
  return float_of_bits(0x4b000000u | (word >> (16 * half) & 0xffffu));
#endif
}

// Computes counter_of(floor(W / 4)) for the values Y = W / 2 of one function, |Y| <= 2^23. All Y have the
// same remainder modulo 2, since all W have the same modulo 4. The difference d of Y and this remainder is
// twice the quotient, so the counter is |d + 1/2| - 1/2. No counter is larger than |Y|.
class RowCounter {
 public:
  FUGU_HD explicit RowCounter(float y)
      : shift_(0.5f - static_cast<float>(static_cast<std::int32_t>(y) & 1)) {}

  // Returns d + 1/2.
  FUGU_HD float shifted(float y) const { return y + shift_; }

  FUGU_HD std::uint32_t of(float y) const {
    constexpr float kBias = 8388608.0f;
    return __builtin_bit_cast(std::uint32_t, __builtin_fabsf(shifted(y)) + (kBias - 0.5f)) -
           __builtin_bit_cast(std::uint32_t, kBias);
  }

 private:
  float shift_;
};

// A row of 2^low_bits values. A thread holds 16 pairs. After put_pairs(), a barrier and get_pairs() it holds
// 16 others, and their 32 values; after put(), a barrier and get() it holds 32 other values. Each exchange
// has separate memory, so a row needs only these two barriers: a thread that puts pairs of the next row has
// passed the barrier that follows all reads of this row's pairs, and likewise for values.
//
// The index bits of pairs in memory are [piece: 2][line: 4][lane: kLaneBits][place: 2].
template <int low_bits>
struct RowTile {
  static constexpr int kLaneBits = low_bits - 9;
  static_assert(kLaneBits == 4 || kLaneBits == 5);
  static constexpr int kThreads = 1 << (low_bits - 5);
  static constexpr unsigned kPairs = 16;
  static constexpr std::size_t kPairBytes = sizeof(std::uint32_t) << (low_bits - 1);
  static constexpr std::size_t kValueBytes = sizeof(float) << low_bits;

  std::uint32_t pairs[kPairs];
  float x[2 * kPairs];

  struct alignas(16) Piece {
    std::uint32_t pairs[4];
  };

  // Reads 16 pairs and computes the stages of `piece` and `place`.
  FUGU_HD void load(const std::uint32_t* in, std::uint64_t row, unsigned thread) {
    const Piece* from = reinterpret_cast<const Piece*>(in) + (row << (low_bits - 3)) + thread;
    FUGU_UNROLL
    for (unsigned i = 0; i < 4; ++i) {
      const Piece piece = from[i * kThreads];  // one load: copying its bytes would take sixteen
      __builtin_memcpy(pairs + 4 * i, &piece, sizeof(Piece));
    }
    core::butterflies<4>(pairs, 0, 4);
  }

  FUGU_HD void put_pairs(std::uint32_t* shared, unsigned thread) const {
    Piece* to = reinterpret_cast<Piece*>(shared) + thread;
    FUGU_UNROLL
    for (unsigned i = 0; i < 4; ++i) __builtin_memcpy(to + i * kThreads, pairs + 4 * i, sizeof(Piece));
  }

  FUGU_HD void get_pairs(const std::uint32_t* shared, unsigned thread) {
    constexpr int kInner = kLaneBits + 2;
    const std::uint32_t* from = shared + (thread >> kInner << (kInner + 4)) + (thread & ((1u << kInner) - 1));
    FUGU_UNROLL
    for (unsigned line = 0; line < kPairs; ++line) pairs[line] = from[line << kInner];
  }

  // Computes the stages of `line`, the first of them on pairs, and the stage between the two values of a
  // pair.
  FUGU_HD void split() {
    constexpr float kTwoBiases = 2 * (8388608.0f + 32768.0f);
    core::butterflies<4>(pairs, 0, 1);
    FUGU_UNROLL
    for (unsigned line = 0; line < kPairs; ++line) {
      const std::uint32_t biased = pairs[line] + 0x8000u * kEachHalf;
      const float low = float_of_half<0>(biased), high = float_of_half<1>(biased);
      x[2 * line] = low - kTwoBiases + high;
      x[2 * line + 1] = low - high;
    }
    core::butterflies<5>(x, 2, 5);
  }

  // The index bits of values in shared memory are [line][lane][half of the pair: 1][piece][place]. The last
  // five are arranged so that the lanes of a warp use different banks in put() and in get().
  FUGU_HD void put(float* shared, unsigned thread) const {
    const unsigned lane = thread >> 2 & ((1u << kLaneBits) - 1);
    const unsigned last = (thread >> (kLaneBits + 2) << 2 | (thread & 3)) ^ (lane & 7) << 2;
    float* low = shared + (lane << 5 | last);
    float* high = shared + (lane << 5 | (last ^ 16));
    FUGU_UNROLL
    for (unsigned line = 0; line < kPairs; ++line) {
      low[line << (kLaneBits + 5)] = x[2 * line];
      high[line << (kLaneBits + 5)] = x[2 * line + 1];
    }
  }

  FUGU_HD void get(const float* shared, unsigned thread) {
    const float* from = shared + (thread >> 5 << 10);
    const unsigned last = thread & 31;
    FUGU_UNROLL
    for (unsigned j = 0; j < 32; ++j) x[j] = (from + (last ^ (j & 7) << 2))[j << 5];
  }

  // Computes all stages of `lane` except the last.
  FUGU_HD void finish() { core::butterflies<5>(x, 0, kLaneBits - 1); }

  // Returns the largest |Y| of the last stage: max(|a + b|, |a - b|) = |a| + |b|.
  FUGU_HD float largest() const {
    float most = 0;
    FUGU_UNROLL
    for (unsigned j = 0; j < 32; ++j) {
      if ((j & kHalf) != 0) continue;
      const float sum = __builtin_fabsf(x[j]) + __builtin_fabsf(x[j + kHalf]);
      most = sum > most ? sum : most;
    }
    return most;
  }

  FUGU_HD RowCounter counter() const { return RowCounter(x[0] + x[kHalf]); }

  // Calls sink(Y) for the results of the last stage.
  template <class Sink>
  FUGU_HD void give(const Sink& sink) const {
    FUGU_UNROLL
    for (unsigned j = 0; j < 32; ++j) {
      if ((j & kHalf) != 0) continue;
      sink(x[j] + x[j + kHalf]);
      sink(x[j] - x[j + kHalf]);
    }
  }

 private:
  static constexpr unsigned kHalf = 1u << (kLaneBits - 1);
};

}  // namespace fugu::kernels
