// Boolean spectra by matrix units: products with parts of a Hadamard matrix.
//
// A warp's matrix unit multiplies a 16 x k matrix A by a k x 8 matrix B. PTX specifies which elements the
// registers of each lane hold (m16n8k256 of bits, m16n8k16 of halves). With lane = 4 g + t, a lane holds
//   A       rows g and g + 8
//   B       column g
//   result  rows g and g + 8, columns 2 t and 2 t + 1
// A word of bits holds 32 of the 256 k; of halves, one word holds k = 2 t and 2 t + 1, another those larger
// by 8. If the columns of a result are the k of the next product, rows become columns: two consecutive
// products compute the stages of four index bits each, one of a register and three of lanes, without moving
// values.
//
// Unit: count(d, a, b0, b1) adds the numbers of common bits to d, multiply() overwrites d. The results exist
// once all lanes of the warp have made the call, so the step of an agent that multiplies does not use them.
//
// Values are Y = W / 2, as in kernels/walsh/columns_agent.hpp, and |Y| <= 2^(k - 1) after k stages. Halves
// are exact for 12 stages. After more they are exact if no value has reached 2048 in magnitude. No later
// stage reduces the largest magnitude, rounded or not, so it suffices to check the last values in halves.
// Floats are exact up to 2^24.
#pragma once

#include "kernels/walsh/columns_agent.hpp"
#include "kernels/walsh/halves.hpp"

namespace fugu::kernels {

// 64 bits of a truth table.
struct alignas(8) BitPair {
  std::uint32_t first, second;
};

// A product sums over the bits of a block of the truth table: the lowest 8 index bits.
inline constexpr int kBlockStages = 8;

// For x < 256.
FUGU_HD constexpr bool odd(unsigned x) {
  x ^= x >> 4;
  x ^= x >> 2;
  x ^= x >> 1;
  return (x & 1) != 0;
}
FUGU_HD std::uint32_t all_if_odd(unsigned x) {
  return odd(x) ? ~0u : 0u;
}

// Returns a word whose bit i is the parity of u & i, 0 <= u < 32.
FUGU_HD std::uint32_t parities(unsigned u) {
  return ((u & 1) != 0 ? 0xaaaaaaaau : 0) ^ ((u & 2) != 0 ? 0xccccccccu : 0) ^
         ((u & 4) != 0 ? 0xf0f0f0f0u : 0) ^ ((u & 8) != 0 ? 0xff00ff00u : 0) ^
         ((u & 16) != 0 ? 0xffff0000u : 0);
}

// The linear functions u.x of 8 variables, 16 group <= u < 16 group + 16, as the matrix A. Lane t holds the
// words 2 t and 2 t + 1 of 8, so that B has 64 neighbouring bits per lane.
struct LinearFunctions {
  std::uint32_t bits[4];
  std::uint32_t others[4];

  FUGU_HD LinearFunctions(unsigned group, unsigned thread) {
    const unsigned g = thread >> 2 & 7, t = thread & 3;
    const std::uint32_t low = parities(g + 16 * (group & 1));
    const unsigned high = group >> 1;
    for (unsigned i = 0; i < 4; ++i) {
      bits[i] = low ^ (i % 2 == 0 ? 0 : parities(8)) ^ all_if_odd(high & (2 * t + i / 2));
      others[i] = ~bits[i];
    }
  }

  // Adds the numbers of points at which the functions agree with those of the columns.
  template <class Unit>
  FUGU_HD void count_agreements(const Unit& unit, std::int32_t (&counts)[4], BitPair column) const {
    unit.count(counts, bits, column.first, column.second);
    unit.count(counts, others, ~column.first, ~column.second);
  }
};

// A part of a Hadamard matrix as the matrix A: `negative` is the word of rows g + 8 and the larger k, the
// other three words are `positive`.
struct HadamardMatrix {
  std::uint32_t positive, negative;
};

inline constexpr std::uint32_t kHalfOne = 0x3c00, kHalfSigns = 0x80008000u;

// Computes the stages of all four bits of k.
FUGU_HD HadamardMatrix hadamard_16(unsigned thread) {
  const unsigned g = thread >> 2 & 7, t = thread & 3;
  const std::uint32_t one = kHalfOne | kHalfOne << 16;
  const std::uint32_t signs =
      (all_if_odd(g & (2 * t)) & 0x8000u) | (all_if_odd(g & (2 * t + 1)) & 0x80000000u);
  return {one ^ signs, one ^ signs ^ kHalfSigns};
}

// Computes these stages except that of the lowest bit.
FUGU_HD HadamardMatrix hadamard_8_twice(unsigned thread) {
  const unsigned g = thread >> 2 & 7, t = thread & 3;
  const std::uint32_t one = kHalfOne ^ (all_if_odd(g >> 1 & t) & 0x8000u);
  const std::uint32_t negative = one ^ 0x8000u;
  return g % 2 == 0 ? HadamardMatrix{one, negative} : HadamardMatrix{one << 16, negative << 16};
}

// Returns count - bias, by way of the float 2^23 + count.
FUGU_HD float float_of_count(std::int32_t count, float bias) {
  return float_of_bits(0x4b000000u + static_cast<std::uint32_t>(count)) - (8388608.0f + bias);
}

// Returns the larger value, or NaN if one is NaN.
FUGU_HD float larger_or_none(float a, float b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float larger;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
  return larger;
#else
  return a > b || a != a ? a : b;
#endif
}

// 16 values before their last stage, which pairs x[j] and x[j + 8].
struct BeforeLastStage {
  static constexpr unsigned kPairs = 8;
  float x[2 * kPairs];

  // Returns the largest |Y| of the last stage, max(|a + b|, |a - b|) = |a| + |b|, or NaN if a value is NaN.
  FUGU_HD float largest() const {
    float most = 0;
    FUGU_UNROLL
    for (unsigned j = 0; j < kPairs; ++j)
      most = larger_or_none(most, __builtin_fabsf(x[j]) + __builtin_fabsf(x[j + kPairs]));
    return most;
  }

  FUGU_HD RowCounter counter() const { return RowCounter(x[0] + x[kPairs]); }

  // Calls sink(Y) for the results of the last stage.
  template <class Sink>
  FUGU_HD void give(const Sink& sink) const {
    FUGU_UNROLL
    for (unsigned j = 0; j < kPairs; ++j) {
      sink(x[j] + x[j + kPairs]);
      sink(x[j] - x[j + kPairs]);
    }
  }
};

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

// Adds the counters of all blocks up, kCounters per block of kThreads. Rows have `pairs` words with two
// 16-bit counters each, and so has the sum; a thread adds up one word of some rows. A sum exceeds 16 bits if
// many values are equal.
struct CounterSums {
  static constexpr unsigned kPairs = 64, kCounters = 2 * kPairs;
  static constexpr int kThreads = 1024;
  static constexpr unsigned kGroups = kThreads / kPairs;

  std::uint32_t first = 0, second = 0;

  FUGU_HD void add(const std::uint32_t* rows, std::uint32_t row_count, std::uint32_t pairs, unsigned block,
                   unsigned thread) {
    const std::uint32_t* from = rows + block * kPairs + thread % kPairs;
    constexpr std::uint32_t kAtOnce = 9;  // 132 rows at most are asked for at the same time
    for (std::uint32_t row = thread / kPairs; row < row_count; row += kAtOnce * kGroups) {
      std::uint32_t words[kAtOnce];
      FUGU_UNROLL
      for (std::uint32_t i = 0; i < kAtOnce; ++i)
        words[i] = row + i * kGroups < row_count ? from[(row + i * kGroups) * pairs] : 0;
      FUGU_UNROLL
      for (const std::uint32_t pair : words) {
        first += pair & 0xffff;
        second += pair >> 16;
      }
    }
  }

  FUGU_HD void put(std::uint32_t* shared, unsigned thread) const {
    shared[thread] = first;
    shared[kThreads + thread] = second;
  }

  // Computes word `thread` of the block's sum. Returns whether it fits 16-bit counters.
  FUGU_HD static bool sum(const std::uint32_t* shared, unsigned thread, std::uint32_t& pair) {
    std::uint32_t first = 0, second = 0;
    FUGU_UNROLL
    for (unsigned group = 0; group < kGroups; ++group) {
      first += shared[group * kPairs + thread];
      second += shared[kThreads + group * kPairs + thread];
    }
    pair = first | second << 16;
    return (first | second) >> 16 == 0;
  }
};

// A spectrum of 24 variables in two passes. The first computes the stages of the low 9 bits and stores Y +
// 128 as a byte: one row of 2^15 values per value of these bits. They fit if |Y| < 64 after 8 stages; a block
// reports the others, as of functions that resemble a linear one on 256 bits.
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
  Piece sums[2], differences[2];
  std::uint32_t seen = 0;

  // Lane t has 32 neighbouring columns, which are columns 2 t and 2 t + 1 of B in 16 products.
  FUGU_HD void load(const BitPair* from, unsigned tile, unsigned thread) {
    const unsigned g = thread >> 2 & 7;
    const BitPair* column = from + 4 * ((tile << kColumnBits) + (g >> 1 << 5) + (g & 1)) + (thread & 3);
    FUGU_UNROLL
    for (unsigned j = 0; j < 16; ++j) words[j] = column[8 * j];
  }

  // Computes group i < kGroups of the warp's values u: Y + 64.
  template <class Unit>
  FUGU_HD void count(const Unit& unit, unsigned i, unsigned half, unsigned thread) {
    const LinearFunctions functions(group_of(i, thread), thread);
    FUGU_UNROLL
    for (unsigned j = 0; j < 8; ++j) {
      for (auto& count : counts[j]) count = 64 - 128;
      functions.count_agreements(unit, counts[j], words[8 * half + j]);
    }
  }

  // Computes the stage between neighbouring columns, on four bytes at once.
  FUGU_HD void add(unsigned half) {
    FUGU_UNROLL
    for (unsigned upper = 0; upper < 2; ++upper) {
      FUGU_UNROLL
      for (unsigned k = 0; k < 2; ++k) {
        std::uint32_t first = 0, second = 0;
        FUGU_UNROLL
        for (unsigned j = 0; j < 4; ++j) {
          const auto left = static_cast<std::uint32_t>(counts[4 * k + j][2 * upper]),
                     right = static_cast<std::uint32_t>(counts[4 * k + j][2 * upper + 1]);
          seen |= left | right;
          first += left << (8 * j);
          second += right << (8 * j);
        }
        sums[upper].words[2 * half + k] = first + second;
        differences[upper].words[2 * half + k] = first - second + 0x80808080u;
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

  FUGU_HD bool lost() const { return seen >> 7 != 0; }

 private:
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

  // Computes the stages of g and of bit 2 of the place.
  template <class Unit>
  FUGU_HD void multiply_second(const Unit& unit, unsigned thread) {
    const HadamardMatrix matrix = hadamard_16(thread);
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

  // Computes the stages of the pairs, of t and of the lowest bit of the register's index i.
  template <class Unit>
  FUGU_HD void multiply_last(const Unit& unit, unsigned part, unsigned thread) {
    const HadamardMatrix matrix = hadamard_16(thread);
    FUGU_UNROLL
    for (unsigned i = 0; i < 4; ++i) unit.multiply(products[i], matrix, x[8 * i + part], x[8 * i + 4 + part]);
  }

  // Computes the stage of the next bit.
  FUGU_HD BeforeLastStage last() const {
    BeforeLastStage last;
    FUGU_UNROLL
    for (unsigned i = 0; i < 4; ++i) {
      last.x[i] = products[0][i] + products[1][i];
      last.x[4 + i] = products[0][i] - products[1][i];
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
