// Rows of m 2^k 16-bit floats, k from kLeastMatrixBits on, as the phases of a thread: out = scale (B x H) in,
// like kernels/walsh/base_agent.hpp, but a warp's matrix unit multiplies by B. Its products of 1 or -1 with
// 16-bit values are exact, and its sums are float32.
//
// A warp has the m values of 64 columns at a time. Lane 4g + q loads values 2q, 2q + 1 of every eight rows
// and of columns 8g to 8g + 7; those are the factors as the unit wants them (PTX ISA, mma.m16n8k16 and
// m16n8k8). The unit leaves rows g and g + 8 of columns 16q to 16q + 15 in the lane, which computes their
// four stages in registers and the next swapped_bits (kernels/walsh/walsh_policy.hpp) with other lanes of the
// same rows. For the stages above these a thread takes pairs of neighbouring columns of a row from shared
// memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "fugu/core/hadamard_base.hpp"
#include "kernels/walsh/pair_agent.hpp"
#include "kernels/walsh/walsh_agent.hpp"

namespace fugu::kernels {

// The signs of B as a lane's factors need them: bit 15 - s of both halves of a word for the values of
// register s.
template <int m>
struct MatrixSigns {
  static constexpr int kTiles = (m + 15) / 16;
  std::uint32_t words[std::size_t{kTiles}][32];

  explicit constexpr MatrixSigns(bool transposed) : words{} {
    for (int tile = 0; tile < kTiles; ++tile)
      for (int lane = 0; lane < 32; ++lane) words[tile][lane] = word(tile, lane, transposed);
  }

 private:
  static constexpr std::uint32_t word(int tile, int lane, bool transposed) {
    std::uint32_t signs = 0;
    for (int i = 0; i < (m + 7) / 8 * 4; ++i) {
      const int depth = i / 4, half = i / 2 % 2, odd = i % 2;
      const int row = 16 * tile + 8 * half + lane / 4, column = 8 * depth + 2 * (lane % 4) + odd;
      if (row >= m || column >= m) continue;
      if (core::hadamard_base(m, transposed ? column : row, transposed ? row : column) < 0)
        signs |= std::uint32_t{1} << (16 * odd + 15 - (2 * depth + half));
    }
    return signs;
  }
};

template <int m, int k>
struct MatrixRows {
  static constexpr MatrixShape kShape = matrix_shape(m, k);
  static constexpr int kDepth = (m + 7) / 8;  // of eight rows each
  static constexpr int kTiles = MatrixSigns<m>::kTiles;
  static constexpr int kLowBits =
      4 + kShape.swapped_bits;  // of a column, below a thread's window of shared memory
  static constexpr int kWindowBits = kShape.window_bits;
  static constexpr unsigned kColumns = matrix_columns(m, k);
  static constexpr int kThreads = kColumns / 2;
  static constexpr unsigned kItems = m << (kLowBits - 1);

  // The factors of two neighbouring rows: by eight rows and by column.
  using Words = std::uint32_t[std::size_t{kDepth}][8];

  // The place of columns `column` and more of row 0 of their row, in words of two; that of row i is i 2^(k -
  // 1) more.
  FUGU_HD static std::uint64_t place(std::uint64_t column) {
    return ((column >> k) * m << (k - 1)) + ((column & ((1u << k) - 1)) >> 1);
  }

  // `columns`: of all rows. copy(to, from) copies four words.
  template <class Copy>
  FUGU_HD static void load(Words& words, const Copy& copy, const std::uint32_t* in, std::uint64_t block,
                           std::uint64_t columns, unsigned thread) {
    const std::uint64_t column = block * kColumns + thread / 32 * 64 + thread % 32 / 4 * 8;
    const std::uint32_t* const from = in + place(column);
    FUGU_UNROLL
    for (unsigned i = 0; i < kDepth; ++i) {
      FUGU_UNROLL
      for (unsigned odd = 0; odd < 2; ++odd) {
        const unsigned row = 8 * i + thread % 4 * 2 + odd;
        std::uint32_t* const to = words[i] + 4 * odd;
        if (column < columns && (8 * i + 8 <= m || row < m)) {
          copy(to, from + (row << (k - 1)));
        } else {
          to[0] = to[1] = to[2] = to[3] = 0;
        }
      }
    }
  }

  // From words of neighbouring columns to words of neighbouring rows.
  FUGU_HD static void pair_rows(Words& words) {
    FUGU_UNROLL
    for (auto& row : words) {
      std::uint32_t paired[8];
      FUGU_UNROLL
      for (unsigned i = 0; i < 4; ++i) {
        paired[2 * i] = (row[i] & 0xffff) | row[4 + i] << 16;
        paired[2 * i + 1] = row[i] >> 16 | (row[4 + i] & 0xffff0000u);
      }
      FUGU_UNROLL
      for (unsigned i = 0; i < 8; ++i) row[i] = paired[i];
    }
  }

  // Register `at` of B's factors: 2 i + h for the rows of half h and the columns of the i-th eight.
  template <class Half>
  FUGU_HD static std::uint32_t factor(std::uint32_t signs, int at) {
    constexpr std::uint32_t kOnes = std::is_same_v<Half, core::Float16> ? 0x3c003c00u : 0x3f803f80u;
    return ((signs << at) & 0x80008000u) ^ kOnes;
  }

  // Whether a lane has values in this half of a tile.
  FUGU_HD static constexpr bool has(int tile, int half) { return 16 * tile + 8 * half < m; }

  // A stage with the lane whose values are `other`, which has the lower columns if `upper`.
  FUGU_HD static void swap_stage(float (&x)[16], const float (&other)[16], bool upper) {
    const float sign = upper ? -1.0f : 1.0f;
    FUGU_UNROLL
    for (unsigned i = 0; i < 16; ++i) x[i] = x[i] * sign + other[i];
  }

  FUGU_HD static void put(float* shared, const float (&x)[16], unsigned thread, int tile, int half) {
    const unsigned row = static_cast<unsigned>(16 * tile + 8 * half) + thread % 32 / 4;
    if (16 * tile + 8 * half + 8 > m && row >= m) return;
    const unsigned q = thread % 4, low = (4 * (q & 1)) ^ (q >> 1) ^ turn(row);
    float* const start = shared + row * kColumns + 4 * (thread / 32 * 16 + 8 * (q >> 1));
    FUGU_UNROLL
    for (unsigned i = 0; i < 4; ++i) move(start + 4 * (low ^ i), x + 4 * i);
  }

  // Item `item` of kItems. sink(at, pair), `at` in words.
  template <class Sink>
  FUGU_HD static void finish(const float* shared, Sink& sink, std::uint64_t block, std::uint64_t columns,
                             unsigned item) {
    const unsigned row = item >> (kLowBits - 1), two = item % (1u << (kLowBits - 1));
    const unsigned piece = (two >> 1) ^ (two >> 4 & 1) ^ turn(row);
    const float* const start = shared + row * kColumns + 2 * (two & 1);
    Pair x[std::size_t{1} << kWindowBits];
    FUGU_UNROLL
    for (unsigned j = 0; j < 1u << kWindowBits; ++j) {
      const unsigned beyond = j << (kLowBits - 2);
      const float* const from = start + 4 * (piece ^ (beyond & 7) ^ (beyond >> 3 & 1)) + 4 * (beyond & ~7u);
      const auto* const pair = reinterpret_cast<const TwoFloats*>(from);
      x[j] = {pair->low, pair->high};
    }
    core::butterflies<kWindowBits>(x, 0, k - kLowBits);
    const std::uint64_t first = block * kColumns;
    const std::uint64_t at = place(first) + (row << (k - 1)) + two;
    const auto left = static_cast<unsigned>(columns - first < kColumns ? columns - first : kColumns);
    FUGU_UNROLL
    for (unsigned j = 0; j < 1u << kWindowBits; ++j)
      if (j << kLowBits < left) sink(at + beyond(j), x[j]);
  }

 private:
  // Pieces of four columns lie in an order by which eight lanes of put() and sixteen of finish() use all
  // banks: bit 0 of a piece's number is changed by bit 3, bits 1 and 2 by the row's parity.
  FUGU_HD static constexpr unsigned turn(unsigned row) { return (row & 1) * 6; }

  // The words between a thread's first two columns and its j-th: a power of two per bit of j, beyond the row
  // times m.
  FUGU_HD static constexpr std::uint32_t beyond(unsigned j) {
    std::uint32_t words = 0;
    FUGU_UNROLL
    for (int bit = 0; bit < kWindowBits; ++bit)
      if ((j >> bit & 1) != 0) words += (kLowBits + bit < k ? 1u : unsigned{m}) << (kLowBits + bit - 1);
    return words;
  }

  FUGU_HD static void move(float* to, const float* from) {
    struct alignas(kPieceBytes) Piece {
      float values[4];
    };
    __builtin_memcpy(reinterpret_cast<Piece*>(to), from, sizeof(Piece));
  }
};

}  // namespace fugu::kernels
