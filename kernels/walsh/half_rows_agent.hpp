// Rows of m 2^k 16-bit floats as the phases of a thread: out = scale (B x H) in, B being a Hadamard matrix of
// m rows or its transpose (fugu/core/hadamard_base.hpp); m is 1 for rows of 2^k. Each value is rounded once.
//
// A warp has 2^kChunkBits columns at a time. A matrix unit multiplies them by signs: products with 16-bit
// values are exact, and sums are float32. A product takes 16 values of each of 8 columns: four rows of B, by
// bits 0 and 2 of the column; for m = 1 bits 3 and 4 take the place of rows. So no factor is 0, by which an
// infinity of one row would spoil others. Lane 4g + q loads 8 neighbours of row 4i + q, which are the unit's
// factors as they are (PTX ISA, mma.m16n8k16), and has the results of row g / 2, with bits 1, 0 and one more
// of the column in registers, bit 2 in g and two more in q. The columns whose numbers differ above these are
// the lane's groups. Stages of register bits are additions; those of q's bits pass between lanes, or come
// after the exchange through shared memory with those above kChunkBits, which are other warps'.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "fugu/core/hadamard_base.hpp"
#include "kernels/walsh/pair_agent.hpp"
#include "kernels/walsh/walsh_agent.hpp"

namespace fugu::kernels {

// The rows of B by which the unit multiplies: those of 40 rows are the product of these 20 and the matrix of
// two rows, and bits of the column stand for those of m = 1.
constexpr int unit_rows(int m) {
  return m == 1 ? 4 : m == 40 ? 20 : m;
}

// The signs by which lane 4g + q multiplies row 4i + q for row 4t + g / 2: bits 31 - i and 15 - i of a word.
template <int m>
struct HalfSigns {
  static constexpr int kFours = unit_rows(m) / 4;
  std::uint32_t words[std::size_t{kFours}][32];

  explicit constexpr HalfSigns(bool transposed) : words{} {
    for (int t = 0; t < kFours; ++t) {
      for (int lane = 0; lane < 32; ++lane) {
        for (int i = 0; i < kFours; ++i) {
          const int row = 4 * t + lane / 8, column = 4 * i + lane % 4;
          if (core::hadamard_base(m, transposed ? column : row, transposed ? row : column) < 0)
            words[t][lane] |= 0x80008000u >> i;
        }
      }
    }
  }
};
template <>
struct HalfSigns<1> {
  static constexpr int kFours = 1;
  explicit constexpr HalfSigns(bool) {}
  FUGU_HD static std::uint32_t word(unsigned lane) {
    return (((lane >> 3 & lane) ^ (lane >> 4 & lane >> 1)) & 1) * 0x80008000u;
  }
};

// Floats that are added together.
template <unsigned count>
struct Floats {
  float x[count];

  FUGU_HD friend Floats operator+(const Floats& a, const Floats& b) {
    Floats sum;
    FUGU_UNROLL
    for (unsigned i = 0; i < count; ++i) sum.x[i] = a.x[i] + b.x[i];
    return sum;
  }
  FUGU_HD friend Floats operator-(const Floats& a, const Floats& b) {
    Floats difference;
    FUGU_UNROLL
    for (unsigned i = 0; i < count; ++i) difference.x[i] = a.x[i] - b.x[i];
    return difference;
  }
};

// A bit of the lane's number and bit 1 of its sums' numbers change places, and the stage of the former is
// computed. swap(value, lanes) returns that of the lane whose number differs in `lanes`.
template <class Swap>
FUGU_HD void exchange_stage(float (&x)[8], unsigned lanes, unsigned thread, const Swap& swap) {
  const bool upper = (thread & lanes) != 0;
  const float sign = upper ? -1.0f : 1.0f;
  FUGU_UNROLL
  for (unsigned i = 0; i < 8; i += i % 2 == 0 ? 1 : 3) {
    const float own = upper ? x[i + 2] : x[i], other = swap(upper ? x[i] : x[i + 2], lanes);
    x[i] = own + other;
    x[i + 2] = own * sign - other * sign;
  }
}

template <class Half, std::size_t count>
FUGU_HD void round_words(std::uint32_t* words, const float (&x)[count], float factor) {
  FUGU_UNROLL
  for (std::size_t i = 0; i < count / 2; ++i)
    words[i] = word_of<Half>({x[2 * i] * factor, x[2 * i + 1] * factor});
}

template <int m, int log2_size>
struct HalfRows {
  static constexpr bool kHalved = log2_size > kMaxHalfBlockBits;  // each block computes a half of a row
  static constexpr int k = log2_size - (kHalved ? 1 : 0);
  static constexpr HalfRowsShape kShape = half_rows_shape(m, log2_size);
  static constexpr int kLow = m == 1 ? 5 : 3,
                       kGroupBit = kLow + 3;  // the first bits of g's columns, and of the groups
  static constexpr int kFours = HalfSigns<m>::kFours, kGroups = 1 << kShape.group_bits;
  static constexpr int kChunkBits = half_chunk_bits(m, kShape);
  static constexpr bool kDirect = k <= kChunkBits;  // without shared memory
  static constexpr unsigned kThreads = 32u << (kShape.column_bits - kChunkBits);
  static constexpr unsigned kValues = unsigned{m} << kShape.column_bits;  // of a block, in whole rows
  // Of q's bits, those that registers have before the rows are stored or put into shared memory, and the
  // others, whose stages come after that.
  static constexpr int kSwapped = kDirect ? smaller(larger(k - kLow - 1, 0), 2) : kShape.swapped;
  static constexpr int kLaneBits = kDirect ? 0 : 2 - kSwapped;
  static constexpr int kWindowBits = kDirect ? 0 : kLaneBits + k - kChunkBits;
  static constexpr unsigned kPiece = kShape.piece;
  static constexpr unsigned kItems = kDirect ? 0 : (kValues >> kWindowBits) / kPiece;

  using Loads = std::uint32_t[std::size_t{kGroups}][std::size_t{kFours}][4];
  // Sums 2c + s of a group: bit 1 of the column is s, bit 0 is c / 2, and c % 2 is bit kLow, then kLow +
  // kSwapped.
  using Sums = Floats<8>[std::size_t{kGroups}];

  // Places, in values of a block: of a column in row 0, and of the rows and groups from there.
  FUGU_HD static constexpr unsigned place(unsigned column) {
    return m == 1 ? column : (column >> k) * (unsigned{m} << k) + column % (1u << k);
  }
  FUGU_HD static constexpr unsigned row(unsigned number) { return number << (m == 1 ? 3 : k); }
  FUGU_HD static constexpr unsigned group(unsigned number) {
    if (m == 40) return (number & 1) * row(20) + place((number >> 1) << kGroupBit);
    return place(number << kGroupBit);
  }

  FUGU_HD static unsigned first_load(unsigned thread) {
    const unsigned g = thread % 32 / 4;
    return place(thread / 32 << kChunkBits) + row(thread % 4) + place(g << kLow);
  }
  FUGU_HD static unsigned first_sum(unsigned thread) {
    const unsigned g = thread % 32 / 4, q = thread % 4;
    return place(thread / 32 << kChunkBits) + row(g >> 1) + 4 * (g & 1) +
           place((q & 1) << kLaneBit0 | (q >> 1) << kLaneBit1);
  }

  // Whether rows have the place, of which there are `left` from the block's first on.
  FUGU_HD static bool within(unsigned at, unsigned left) { return kShape.column_bits == k || at < left; }

  // copy(to, from) copies four words. All loads begin before any is used, and whole blocks have no branches.
  template <class Copy>
  FUGU_HD static void load(Loads& loads, const Copy& copy, const std::uint32_t* block, unsigned left,
                           unsigned thread) {
    const unsigned first = first_load(thread);
    const auto for_each = [&](const auto& action) {
      FUGU_UNROLL
      for (unsigned number = 0; number < kGroups; ++number) {
        FUGU_UNROLL
        for (unsigned i = 0; i < kFours; ++i) action(loads[number][i], first + group(number) + row(4 * i));
      }
    };
    if (within(kValues - 1, left)) {
      for_each([&](std::uint32_t(&to)[4], unsigned at) { copy(to, block + at / 2); });
    } else {
      for_each([&](std::uint32_t(&to)[4], unsigned at) {
        to[0] = to[1] = to[2] = to[3] = 0;
        if (at < left) copy(to, block + at / 2);
      });
    }
  }

  // The unit's first factor: H of bits 0 and 2 with the signs of B for four rows and columns.
  template <class Half>
  FUGU_HD static void factor(std::uint32_t (&a)[4], std::uint32_t signs, int i, unsigned thread) {
    constexpr std::uint32_t kOnes = std::is_same_v<Half, core::Float16> ? 0x3c003c00u : 0x3f803f80u;
    const std::uint32_t upper = (thread >> 2 & 1) * 0x80008000u;
    FUGU_UNROLL
    for (unsigned j = 0; j < 4; ++j)
      a[j] = ((signs << i) & 0x80008000u) ^ (kOnes ^ (j & 1) << 31 ^ (j >= 2 ? upper : 0));
  }

  // The stages before the exchange.
  template <class Swap>
  FUGU_HD static void transform(Sums& sums, const Swap& swap, unsigned thread) {
    FUGU_UNROLL
    for (Floats<8>& values : sums) {
      core::butterflies<3>(values.x, 0, 1);
      if (kLow < k) core::butterflies<3>(values.x, 1, 2);
    }
    constexpr int own = m == 40 ? 1 : 0;  // the matrix of two rows
    core::butterflies<kShape.group_bits>(sums, 0,
                                         own + larger(0, smaller(kShape.group_bits - own, k - kGroupBit)));
    FUGU_UNROLL
    for (Floats<8>& values : sums) {
      FUGU_UNROLL
      for (int bit = 0; bit < kSwapped; ++bit) exchange_stage(values.x, 1u << bit, thread, swap);
    }
  }

  // Moves a group's sums, the first of which is at first + beyond, to shared memory.
  FUGU_HD static void put(float* shared, const Floats<8>& sums, unsigned first, unsigned beyond) {
    FUGU_UNROLL
    for (unsigned c = 0; c < 2; ++c)
      move<4>(shared + in_shared(first, beyond + c * kBeyond), neighbours(sums, c).x);
  }

  // A group's sums, rounded, with those of the lane whose g differs in bit 0: 8 neighbours, where the first
  // of its own is at `at`; returns their place.
  template <class Half, class Swap>
  FUGU_HD static unsigned join(std::uint32_t (&words)[4], const Floats<8>& sums, float factor,
                               const Swap& swap, unsigned at, unsigned thread) {
    const bool upper = (thread & 4) != 0;
    std::uint32_t own[2][2];
    FUGU_UNROLL
    for (unsigned c = 0; c < 2; ++c) round_words<Half>(own[c], neighbours(sums, c).x, factor);
    FUGU_UNROLL
    for (unsigned i = 0; i < 2; ++i) {
      const std::uint32_t other = swap(upper ? own[0][i] : own[1][i], 4u);
      words[i] = upper ? other : own[0][i];
      words[2 + i] = upper ? own[1][i] : other;
    }
    return upper ? at - 4 + kBeyond : at;
  }

  // The place of the first piece of item `item` of kItems; piece j is window(j) further.
  FUGU_HD static unsigned item_place(unsigned item) {
    unsigned at = item * kPiece;
    FUGU_UNROLL
    for (int bit = 0; bit < kLaneBits; ++bit)
      at = (at >> window_bit(bit) << (window_bit(bit) + 1)) | at % (1u << window_bit(bit));
    return (at >> kChunkBits << k) | at % (1u << kChunkBits);
  }
  FUGU_HD static constexpr unsigned window(unsigned j) {
    unsigned at = 0;
    for (int bit = 0; bit < kWindowBits; ++bit) at |= (j >> bit & 1) << window_bit(bit);
    return at;
  }

  FUGU_HD static void get(Floats<kPiece> (&pieces)[1 << kWindowBits], const float* shared, unsigned at) {
    FUGU_UNROLL
    for (unsigned j = 0; j < 1u << kWindowBits; ++j)
      move<kPiece>(pieces[j].x, shared + in_shared(at, window(j)));
  }

  // store(place, words): the words of a piece.
  template <class Half, class Store>
  FUGU_HD static void finish(Floats<kPiece> (&pieces)[1 << kWindowBits], const Store& store, unsigned at,
                             float factor) {
    core::butterflies<kWindowBits>(pieces, 0, kWindowBits);
    FUGU_UNROLL
    for (unsigned j = 0; j < 1u << kWindowBits; ++j) {
      std::uint32_t words[kPiece / 2];
      round_words<Half>(words, pieces[j].x, factor);
      store(at + window(j), words);
    }
  }

 private:
  // The bits of the column that q's are in the end: the window's are the highest, so that stores are long.
  static constexpr int kLaneBit0 = kLow + (kSwapped > 0 ? 0 : 1), kLaneBit1 = kLow + (kSwapped > 1 ? 1 : 2);
  FUGU_HD static constexpr int window_bit(int bit) {
    return bit < kLaneBits ? kLow + 1 + kSwapped + bit : kChunkBits + bit - kLaneBits;
  }

  static constexpr unsigned kBeyond = place(1u << (kLow + kSwapped));
  FUGU_HD static Floats<4> neighbours(const Floats<8>& sums, unsigned c) {
    return {{sums.x[2 * c], sums.x[2 * c + 4], sums.x[2 * c + 1], sums.x[2 * c + 5]}};
  }

  // The index in shared memory of what is at first + beyond, which has no carries for m = 1. Pieces of four
  // lie in an order by which eight lanes of put() and of get() use all banks: the column's bits in q change
  // bits 1 and 2 of a piece's number, which they are for other m.
  FUGU_HD static constexpr unsigned in_shared(unsigned first, unsigned beyond) {
    return m == 1 ? turned(first) ^ turned(beyond) : first + beyond;
  }
  FUGU_HD static constexpr unsigned turned(unsigned at) {
    return at ^ (at >> kLaneBit0 & 1) << 3 ^ (at >> kLaneBit1 & 1) << 4;
  }

  template <int count>
  FUGU_HD static void move(float* to, const float* from) {
    struct alignas(count * sizeof(float)) Piece {
      float values[std::size_t{count}];
    };
    *reinterpret_cast<Piece*>(to) = *reinterpret_cast<const Piece*>(from);
  }
};

}  // namespace fugu::kernels
