// Rows of the autocorrelation table of 16 to 20 outputs whose first stages fit bytes. Counters of four bits
// (sparse_row_agent.hpp) are transformed over the 8 or 9 lowest bits of b, a tile, in the block's shared
// memory. The remaining stages are computed when columns are added up. All sums are halves (half_words.hpp).
// A sum that exceeds their range is detected.
//
// r(a,0) = 2^inputs is known beforehand. Its share of each tile, the tile's size times the mean of a counter,
// is subtracted before the conversion to bytes. Column 0 then holds 0, unless a counter has overflowed.
#pragma once

#include "kernels/sbox/byte_row_launch.hpp"
#include "kernels/sbox/half_words.hpp"
#include "kernels/sbox/packed.hpp"

namespace fugu::kernels {

inline constexpr std::uint32_t kHalfByte = 0x6400u;     // the half 1024, into which a byte can be or-ed
inline constexpr std::uint32_t kByteBias = 1024 + 128;  // the value that represents 0 in such a half
inline constexpr std::uint32_t kCountedOne = 0x6c00u;   // 2^12
inline constexpr std::uint32_t kPlainOne = 0x3c00u, kQuarter = 0x3400u;

FUGU_HD std::uint32_t permuted_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
#if defined(__CUDA_ARCH__)
  return __byte_perm(a, b, selector);
#else
  std::uint32_t result = 0;
  for (int i = 0; i < 32; i += 8) {
    const std::uint32_t from = selector >> (i / 2) & 7;
    result |= ((from < 4 ? a : b) >> (from % 4 * 8) & 0xff) << i;
  }
  return result;
#endif
}

// One lane's part of a tile in a warp: `kWords` matrices in the form of hadamard.hpp.
template <int outputs>
class ByteTileLane {
 public:
  using Layout = ByteLayout<outputs>;
  static constexpr unsigned kWords = 1u << (Layout::kTileBits - 8);  // words of counters

  // Unpacks the counters, and computes the stage between two words if there are two. The values are in units
  // of 2^-24, for which two products with kCountedOne compensate.
  FUGU_HD void load(const std::uint32_t (&words)[kWords]) {
    FUGU_UNROLL
    for (unsigned j = 0; j < kWords; ++j) {
      FUGU_UNROLL
      for (unsigned i = 0; i < 4; ++i) x[j][i] = words[j] >> (4 * i) & 0x000f000fu;
    }
    if constexpr (kWords == 2) {
      FUGU_UNROLL
      for (unsigned i = 0; i < 4; ++i) {
        const std::uint32_t low = x[0][i], high = x[1][i];
        x[0][i] = add_halves(low, high);
        x[1][i] = subtract_halves(low, high);
      }
    }
  }

  // The second product of matrix j adds first_bias() to word 0 and kBias to the other words. `mean` is
  // subtracted from b = 0.
  FUGU_HD static std::uint32_t first_bias(unsigned lane, unsigned j, std::uint32_t mean) {
    return halves_of(static_cast<float>(kByteBias - (lane == 0 && j == 0 ? mean : 0)),
                     static_cast<float>(kByteBias));
  }
  static constexpr std::uint32_t kBias = 0x64806480u;

  // Call after both products. Returns the bits that do not fit bytes: 0 if all values do.
  FUGU_HD std::uint32_t excess() const {
    std::uint32_t bits = 0;
    FUGU_UNROLL
    for (unsigned j = 0; j < kWords; ++j) {
      FUGU_UNROLL
      for (const std::uint32_t word : x[j]) bits |= word ^ (kHalfByte << 16 | kHalfByte);
    }
    return bits & 0xff00ff00u;
  }

  std::uint32_t x[kWords][4];
};

// Packs two values of each of two tiles into bytes: each half of the word holds one of the values for both
// tiles.
FUGU_HD std::uint32_t bytes_of_two(std::uint32_t tile, std::uint32_t next) {
  return permuted_bytes(tile, next, 0x6240);
}

// Returns the index, in a row of words, of the bytes of tiles 4 quad .. 4 quad + 3 for half `half` of word
// `i` of matrix j of a lane.
template <int outputs>
FUGU_HD constexpr std::uint32_t byte_place(std::uint32_t quad, unsigned lane, unsigned j, unsigned i,
                                           unsigned half) {
  using Layout = ByteLayout<outputs>;
  const std::uint32_t rest = (lane % 4) << (Layout::kWordBits + 1) | half << Layout::kWordBits | j << 2 | i;
  const std::uint32_t deep = quad >> 6 << Layout::kShallow | (rest & ((1u << Layout::kShallow) - 1));
  return (rest >> Layout::kShallow) << 12 | deep << 9 | (quad & 63) << 3 | (lane / 4 ^ (quad >> 2 & 7));
}

// One lane of a warp that adds up the same columns of one row after the other: 8 matrices of 16 x 16 tiles.
// The `kDeep` last stages come first.
template <int outputs>
class ByteColumnLane {
 public:
  using Layout = ByteLayout<outputs>;
  static constexpr unsigned kMatrices = 8;
  static constexpr unsigned kColumns = 8 * kMatrices;

  // Loads the lane's values and computes the first stages. `group` has kByteGroupWords words of a row; `warp`
  // is less than 8.
  FUGU_HD void load(const std::uint32_t* group, unsigned warp, unsigned lane) {
    const std::uint32_t* const mine = group + lane * 8 + (warp ^ lane / 4);
    FUGU_UNROLL
    for (unsigned c = 0; c < kMatrices; ++c) {
      FUGU_UNROLL
      for (unsigned n = 0; n < 2; ++n) {
        const std::uint32_t word = mine[c * 512 + n * 256];
        x[c][2 * n] = permuted_bytes(word, 0x64646464u, 0x4140);
        x[c][2 * n + 1] = permuted_bytes(word, 0x64646464u, 0x4342);
      }
    }
    FUGU_UNROLL
    for (unsigned i = 0; i < 4; ++i) deep_stages(i);
  }

  // Call after the product from the left. Rounds its results to the nearest halves.
  FUGU_HD void narrow(unsigned c, unsigned n, const float (&d)[4]) {
    x[c][2 * n] = halves_of(d[0], d[1]);
    x[c][2 * n + 1] = halves_of(d[2], d[3]);
    most_ = larger_magnitudes(larger_magnitudes(most_, x[c][2 * n]), x[c][2 * n + 1]);
  }

  // Returns whether an r(a,b) is not 0.
  FUGU_HD bool has_nonzero() const {
    std::uint32_t any = 0;
    FUGU_UNROLL
    for (const auto& matrix : x) any |= matrix[0] | matrix[1] | matrix[2] | matrix[3];
    return (any & 0x7fff7fffu) != 0;
  }

  // Call after the product from the right, by kQuarter. Adds its results, r(a,b) / 8, to the columns.
  FUGU_HD void add(unsigned c, unsigned n, const float (&d)[4]) {
    FUGU_UNROLL
    for (unsigned i = 0; i < 4; ++i) squares_[c][n][i] += d[i] * d[i];
    largest_[c][n][0] = larger_magnitudes(largest_[c][n][0], truncated_halves(d[0], d[1]));
    largest_[c][n][1] = larger_magnitudes(largest_[c][n][1], truncated_halves(d[2], d[3]));
  }

  // Returns max |r| / 2 of column i, valid if is_exact(). The kColumns columns of this lane are in the order
  // of byte_column(); `odd` says whether r / 4 is odd in this column.
  FUGU_HD std::uint32_t largest(unsigned i, bool odd) const {
    const std::uint32_t half = largest_[i / 8][i / 4 % 2][i / 2 % 2] >> (i % 2 * 16) & 0x7fffu;
    const std::uint32_t doubled = doubled_half(half);
    return 2 * (odd ? doubled | 1 : doubled);  // halves from 2^10 on have lost the bit
  }
  // Returns the sum of (r / 2)^2 of column i.
  FUGU_HD std::uint64_t squares(unsigned i) const {
    return std::uint64_t{4} * static_cast<std::uint32_t>(4 * squares_[i / 8][i / 4 % 2][i % 4]);
  }

  // Returns whether all sums since the start were within range. Products never reduce the largest magnitude,
  // so it bounds all earlier ones. `odd` says whether an r / 4 may be odd.
  FUGU_HD bool is_exact(bool odd) const {
    constexpr std::uint32_t kRoom = 0x6800u;  // 2^11
    const float room = odd ? float{1 << 22} : float{1 << 24};
    std::uint32_t most = most_;
    bool exact = true;
    FUGU_UNROLL
    for (unsigned c = 0; c < kMatrices; ++c) {
      FUGU_UNROLL
      for (unsigned n = 0; n < 2; ++n) {
        most = larger_magnitudes(larger_magnitudes(most, largest_[c][n][0]), largest_[c][n][1]);
        FUGU_UNROLL
        for (unsigned i = 0; i < 4; ++i) exact &= squares_[c][n][i] < room;
      }
    }
    return exact && (most & 0xffffu) < kRoom && most >> 16 < kRoom;
  }

  std::uint32_t x[kMatrices][4];

 private:
  FUGU_HD void deep_stages(unsigned i) {
    if constexpr (Layout::kDeep == 0) {
      FUGU_UNROLL
      for (unsigned c = 0; c < kMatrices; ++c) x[c][i] = subtract_halves(x[c][i], kBias);
    } else {
      FUGU_UNROLL
      for (unsigned c = 0; c < kMatrices; ++c) {
        if ((c & kFirst) != 0) continue;
        const std::uint32_t low = x[c][i], high = x[c + kFirst][i];
        x[c][i] = add_halves(subtract_halves(low, kTwice), high);
        x[c + kFirst][i] = subtract_halves(low, high);
      }
    }
    FUGU_UNROLL
    for (unsigned stage = 2 * kFirst; stage < kMatrices; stage *= 2) {
      FUGU_UNROLL
      for (unsigned c = 0; c < kMatrices; ++c) {
        if ((c & stage) != 0) continue;
        const std::uint32_t low = x[c][i], high = x[c + stage][i];
        x[c][i] = add_halves(low, high);
        x[c + stage][i] = subtract_halves(low, high);
      }
    }
  }

  static constexpr unsigned kFirst = 1u << Layout::kShallow;
  static constexpr std::uint32_t kBias = 0x64806480u, kTwice = 0x68806880u;

  std::uint32_t most_ = 0;
  std::uint32_t largest_[kMatrices][2][2] = {};
  float squares_[kMatrices][2][4] = {};
};

}  // namespace fugu::kernels
