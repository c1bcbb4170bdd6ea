// A Boolean spectrum of 24 variables in two passes. The first computes the stages of the low 9 bits and
// stores Y + 128 as a byte: one row of 2^15 values per value of these bits. They fit if |Y| < 64 after 8
// stages; a block reports the others, as of functions that resemble a linear one on 256 bits.
#pragma once

#include "kernels/walsh/matrix_agent.hpp"

namespace fugu::kernels {

inline constexpr int kPartialRowBits = 15;

// 128 columns of 256 bits for all 256 values u of the low 8 bits.
struct PartialTile {
  static constexpr int kThreads = 128;
  static constexpr unsigned kGroups = 4;  // of 16 rows each, per warp
  static constexpr int kColumnBits = 7;
  static constexpr unsigned kTiles = 1u << (kPartialRowBits + 1 - kColumnBits);
  static constexpr unsigned kHalves = 2;  // of the columns; registers hold the counts of one
  struct alignas(16) Piece {
    std::uint32_t words[4];
  };

  BitPair words[16];
  std::int32_t counts[8][4];
  std::uint32_t left_bias[4], right_bias[4];
  Piece sums[2], differences[2];
  std::uint32_t seen = 0;

  // Lane t has 32 neighbouring columns, which are columns 2 t and 2 t + 1 of B in 16 products.
  FUGU_HD void load(const BitPair* from, unsigned tile, unsigned thread) {
    const unsigned g = thread >> 2 & 7;
    const BitPair* column = from + 4 * ((tile << kColumnBits) + (g >> 1 << 5) + (g & 1)) + (thread & 3);
    FUGU_UNROLL
    for (unsigned j = 0; j < 16; ++j) words[j] = column[8 * j];
  }

  // Counts the ones of the columns.
  template <class Unit>
  FUGU_HD void weigh(const Unit& unit, unsigned half) {
    constexpr std::uint32_t kOnes[4] = {~0u, ~0u, ~0u, ~0u};
    count_common(unit, kOnes, half);
  }

  // A function u.x that is not 0 has 128 ones. If it has c in common with a column of w ones, Y = 2 c - w.
  FUGU_HD void set_bias(unsigned half) {
    FUGU_UNROLL
    for (unsigned k = 0; k < 2; ++k) {
      std::uint32_t left = 0x40404040, right = 0x40404040;
      FUGU_UNROLL
      for (unsigned j = 0; j < 4; ++j) {
        left -= static_cast<std::uint32_t>(counts[4 * k + j][0]) << (8 * j);
        right -= static_cast<std::uint32_t>(counts[4 * k + j][1]) << (8 * j);
      }
      left_bias[2 * half + k] = left;
      right_bias[2 * half + k] = right;
    }
  }

  // Counts what group i < kGroups of the warp's functions u.x has in common with the columns.
  template <class Unit>
  FUGU_HD void count(const Unit& unit, unsigned i, unsigned half, unsigned thread) {
    const LinearFunctions functions(group_of(i, thread), thread);
    count_common(unit, functions.bits, half);
  }

  // Computes the stage between neighbouring columns, on four bytes Y + 64 at once. While they are less than
  // 128, none borrows from the next; of those that are not, the lowest has bit 7 set.
  FUGU_HD void add(unsigned i, unsigned half, unsigned thread) {
    const bool zero = group_of(i, thread) == 0 && (thread >> 2 & 7) == 0;  // which has no ones: 128 more
    FUGU_UNROLL
    for (unsigned upper = 0; upper < 2; ++upper) {
      const std::uint32_t more = upper == 0 && zero ? 0x80808080u : 0;
      FUGU_UNROLL
      for (unsigned k = 0; k < 2; ++k) {
        std::uint32_t left = left_bias[2 * half + k] + more, right = right_bias[2 * half + k] + more;
        FUGU_UNROLL
        for (unsigned j = 0; j < 4; ++j) {
          left += static_cast<std::uint32_t>(counts[4 * k + j][2 * upper]) << (8 * j + 1);
          right += static_cast<std::uint32_t>(counts[4 * k + j][2 * upper + 1]) << (8 * j + 1);
        }
        seen |= left | right;
        sums[upper].words[2 * half + k] = left + right;
        differences[upper].words[2 * half + k] = left - right + 0x80808080u;
      }
    }
  }

  // Writes parts of the rows u and 256 + u.
  FUGU_HD void store(std::uint8_t* bytes, unsigned i, unsigned tile, unsigned thread) const {
    const unsigned row = 16 * group_of(i, thread) + (thread >> 2 & 7);
    std::uint8_t* to = bytes + (row << kPartialRowBits) + (tile << (kColumnBits - 1)) + (thread & 3) * 16;
    FUGU_UNROLL
    for (unsigned upper = 0; upper < 2; ++upper) {
      std::uint8_t* place = to + (upper << (kPartialRowBits + 3));
      *reinterpret_cast<Piece*>(place) = sums[upper];
      *reinterpret_cast<Piece*>(place + (1u << (kPartialRowBits + kBlockStages))) = differences[upper];
    }
  }

  FUGU_HD bool lost() const { return (seen & 0x80808080u) != 0; }

 private:
  template <class Unit>
  FUGU_HD void count_common(const Unit& unit, const std::uint32_t (&functions)[4], unsigned half) {
    FUGU_UNROLL
    for (unsigned j = 0; j < 8; ++j) {
      for (auto& count : counts[j]) count = 0;
      unit.count(counts[j], functions, words[8 * half + j].first, words[8 * half + j].second);
    }
  }

  FUGU_HD static unsigned group_of(unsigned i, unsigned thread) { return (thread >> 5) * kGroups + i; }
};

// One of these rows. The index bits of a byte are [piece: 2][warp: 4][g: 3][t: 2][place: 4], and those of x
// [piece: 2][upper bits of the place: 3]. Bit 0 of the place stays within pairs until the last product.
struct PartialRowTile {
  static constexpr int kThreads = 512;
  static constexpr unsigned kPairs = 32;
  static constexpr unsigned kParts = 4;  // of the values; the last stages take one at a time
  struct alignas(16) Piece {
    std::uint32_t words[4];
  };
  static constexpr std::size_t kSharedBytes = sizeof(std::uint32_t) << (kPartialRowBits - 1);

  Halves x[kPairs];
  std::uint32_t largest = 0;
  float products[4][4];

  FUGU_HD void load(const std::uint8_t* bytes, unsigned row, unsigned thread) {
    const auto* from = reinterpret_cast<const Piece*>(bytes) + (row << (kPartialRowBits - 4)) + thread;
    FUGU_UNROLL
    for (unsigned piece = 0; piece < 4; ++piece) {
      const Piece bits = from[piece * kThreads];
      FUGU_UNROLL
      for (unsigned k = 0; k < 4; ++k) {
        x[8 * piece + 2 * k] = pair_of_bytes<0>(bits.words[k]);
        x[8 * piece + 2 * k + 1] = pair_of_bytes<2>(bits.words[k]);
      }
    }
  }

  // Computes the stages of t and of bit 1 of the place.
  template <class Unit>
  FUGU_HD void multiply_first(const Unit& unit, unsigned thread) {
    const HadamardMatrix matrix = hadamard_8_twice(thread);
    FUGU_UNROLL
    for (unsigned i = 0; i < kPairs; i += 2) unit.multiply(x[i], x[i + 1], matrix, x[i], x[i + 1]);
  }

  // Computes the stages of g and of bit 2 of the place. `matrix` is hadamard_16().
  template <class Unit>
  FUGU_HD void multiply_second(const Unit& unit, const HadamardMatrix& matrix) {
    FUGU_UNROLL
    for (unsigned i = 0; i < kPairs; ++i) {
      if ((i & 2) == 0) unit.multiply(x[i], x[i + 2], matrix, x[i], x[i + 2]);
    }
  }

  // Computes the stages of bit 3 of the place and of bit 0 of the piece: then 18 are complete.
  FUGU_HD void add() {
    core::butterflies<5>(x, 2, 4);
    FUGU_UNROLL
    for (unsigned i = 0; i < kPairs; ++i) largest = larger_magnitudes(largest, x[i].bits);
  }

  // Pieces in shared memory are arranged so that eight lanes use different banks in put(), where a warp
  // writes one `warp` and all lanes, and in get(), where it reads several of both.
  FUGU_HD void put(std::uint32_t* shared, unsigned thread) const {
    Piece* to = reinterpret_cast<Piece*>(shared) + place(thread >> 5, thread & 31);
    FUGU_UNROLL
    for (unsigned i = 0; i < 8; ++i)
      to[i << 9] = {{x[4 * i].bits, x[4 * i + 1].bits, x[4 * i + 2].bits, x[4 * i + 3].bits}};
  }

  // From here on the former bits of the warp are t and 2 bits of the register's index, below bit 1 of the
  // piece.
  FUGU_HD void get(const std::uint32_t* shared, unsigned thread) {
    const unsigned warp = thread >> 5, lane = (warp & 3) | (thread >> 2 & 7) << 2;
    const Piece* from = reinterpret_cast<const Piece*>(shared) + (warp >> 2 << 9) + place(thread & 3, lane);
    FUGU_UNROLL
    for (unsigned i = 0; i < 8; ++i) {
      const Piece piece = from[(i & 3) << 7 | i >> 2 << 11];
      FUGU_UNROLL
      for (unsigned part = 0; part < kParts; ++part) x[4 * i + part].bits = piece.words[part];
    }
  }

  // Computes the stages of the pairs, of t and of the lowest bit of the register's index i. `matrix` is
  // hadamard_16().
  template <class Unit>
  FUGU_HD void multiply_last(const Unit& unit, unsigned part, const HadamardMatrix& matrix) {
    FUGU_UNROLL
    for (unsigned i = 0; i < 4; ++i) unit.multiply(products[i], matrix, x[8 * i + part], x[8 * i + 4 + part]);
  }

  // Computes the stage of the next bit. All results of the last stage become larger by `shift`.
  FUGU_HD BeforeLastStage last(float shift) const {
    BeforeLastStage last;
    FUGU_UNROLL
    for (unsigned i = 0; i < 4; ++i) {
      const float shifted = shift == 0 ? products[0][i] : products[0][i] + shift;
      last.x[i] = shifted + products[1][i];
      last.x[4 + i] = shifted - products[1][i];
      last.x[8 + i] = products[2][i] + products[3][i];
      last.x[12 + i] = products[2][i] - products[3][i];
    }
    return last;
  }

  FUGU_HD bool lost() const { return !below_2048(largest); }

 private:
  // Returns bytes `low` and low + 1 minus 128 as halves, by way of the halves 1024 + byte.
  template <unsigned low>
  FUGU_HD static Halves pair_of_bytes(std::uint32_t word) {
    constexpr std::uint32_t kMinus1152 = 0xe480e480u;
#if defined(__CUDA_ARCH__)
    const Halves biased{__byte_perm(word, 0x64u, low == 0 ? 0x4140u : 0x4342u)};
#else
    const Halves biased{two_bytes<low>(word) | 0x64006400u};
#endif
    return biased + Halves{kMinus1152};
  }

  FUGU_HD static unsigned place(unsigned warp, unsigned lane) {
    return warp << 5 | lane >> 3 << 3 | ((lane & 7) ^ (warp & 3));
  }
};

}  // namespace fugu::kernels
