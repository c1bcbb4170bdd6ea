// A Boolean spectrum in one launch: every block reads the whole truth table.
#pragma once

#include "kernels/walsh/matrix_agent.hpp"

namespace fugu::kernels {

// A spectrum of kBlockStages + kColumnBits + kChainBits + top_bits variables in one launch. A block computes
// the coefficients with 16 values of the low 8 bits, those of a group, and one value of the chain's bits; it
// reads the whole truth table. Columns are blocks of 256 bits; a warp has 32 of the 512.
template <int variables, int top_bits>
struct OnceTile {
  static constexpr int kColumnBits = 9;
  static constexpr int kChainBits = variables - kBlockStages - kColumnBits - top_bits;
  static constexpr int kThreads = 512;
  static constexpr unsigned kWarps = kThreads / 32;
  static constexpr unsigned kColumns = 4;  // that a lane holds as B
  static constexpr unsigned kLinks = 1u << kChainBits, kParts = 1u << top_bits;
  static constexpr std::size_t kSharedBytes = sizeof(float) * 16 * kThreads;

  std::int32_t counts[kParts][kColumns][4];
  float products[2][2][4];
  BeforeLastStage last;

  // Computes the stages of the low 8 bits and, by agreements with a function or its complement, those of the
  // chain. Blocks start at different positions.
  template <class Unit>
  FUGU_HD void count(const Unit& unit, const BitPair* words, unsigned block, unsigned thread) {
    const LinearFunctions functions(block >> kChainBits, thread);
    const BitPair* from = words + ((thread >> 5 << 5) + (thread >> 2 & 7)) * 4 + (thread & 3);
    constexpr unsigned kAtOnce = smaller(4, static_cast<int>(kLinks));
    FUGU_UNROLL
    for (unsigned part = 0; part < kParts; ++part) {
      for (auto& column : counts[part]) {
        for (auto& count : column) count = 0;
      }
      FUGU_UNROLL
      for (unsigned first = 0; first < kLinks; first += kAtOnce) {
        BitPair bits[kAtOnce][kColumns];
        FUGU_UNROLL
        for (unsigned i = 0; i < kAtOnce; ++i) {
          const unsigned link = part << kChainBits | ((first + i + block) & (kLinks - 1));
          FUGU_UNROLL
          for (unsigned j = 0; j < kColumns; ++j) bits[i][j] = from[(link << kColumnBits | 8 * j) * 4];
        }
        FUGU_UNROLL
        for (unsigned i = 0; i < kAtOnce; ++i) {
          const std::uint32_t sign = all_if_odd((first + i + block) & block & (kLinks - 1));
          FUGU_UNROLL
          for (unsigned j = 0; j < kColumns; ++j) {
            const BitPair column{bits[i][j].first ^ sign, bits[i][j].second ^ sign};
            functions.count_agreements(unit, counts[part][j], column);
          }
        }
      }
    }
  }

  // Computes the stages of the topmost bits for their value `top`, and those of the bits 0 to 3 of a column's
  // index.
  template <class Unit>
  FUGU_HD void multiply(const Unit& unit, unsigned top, unsigned thread) {
    constexpr std::int32_t most = 1 << (kBlockStages - 1 + kChainBits + top_bits);  // |Y| after these stages
    const HadamardMatrix matrix = hadamard_16(thread);
    FUGU_UNROLL
    for (unsigned rows = 0; rows < 2; ++rows) {
      Halves halves[kColumns];
      FUGU_UNROLL
      for (unsigned j = 0; j < kColumns; ++j) {
        float y[2];
        FUGU_UNROLL
        for (unsigned i = 0; i < 2; ++i) {
          std::int32_t count = top == 0 ? 0 : most;  // the parts' biases add up only there
          FUGU_UNROLL
          for (unsigned part = 0; part < kParts; ++part) {
            const std::int32_t of_part = counts[part][j][2 * rows + i];
            count += odd(part & top) ? -of_part : of_part;
          }
          y[i] = float_of_count(count, static_cast<float>(most));
        }
        halves[j].bits = halves_of(y[0], y[1]);
      }
      unit.multiply(products[rows][0], matrix, halves[0], halves[1]);
      unit.multiply(products[rows][1], matrix, halves[2], halves[3]);
    }
  }

  // Computes the stage of bit 4.
  FUGU_HD void put(float* shared, unsigned thread) const {
    float* to = shared + (thread >> 5 << 9) + (thread & 31);
    FUGU_UNROLL
    for (unsigned i = 0; i < 8; ++i) {
      const float a = products[i / 4][0][i % 4], b = products[i / 4][1][i % 4];
      to[i << 5] = a + b;
      to[(i + 8) << 5] = a - b;
    }
  }

  // Computes all stages of the warp's bits except the last.
  FUGU_HD void get(const float* shared, unsigned thread) {
    FUGU_UNROLL
    for (unsigned warp = 0; warp < kWarps; ++warp) last.x[warp] = shared[(warp << 9) + thread];
    core::butterflies<4>(last.x, 0, 3);
  }
};

}  // namespace fugu::kernels
