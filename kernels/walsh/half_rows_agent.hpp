// Rows of m 2^k 16-bit floats as the phases of a thread: out = scale (B x H) in, B being a Hadamard matrix of
// m rows or its transpose (fugu/core/hadamard_base.hpp); m is 1 for rows of 2^k, and 16 for longer ones, of
// which Sylvester's matrix of 16 rows computes four bits. Each value is rounded once.
//
// A warp has 2^kChunkBits columns at a time. A matrix unit multiplies them by signs: products with 16-bit
// values are exact, and sums are float32. A product takes 16 values of each of 8 columns: four rows of B, by
// bits 0 and 2 of the column; for m = 1 bits 3 and 4 take the place of rows. So no factor is 0, by which an
// infinity of one row would spoil others. Lane 4g + q loads 8 neighbours of row 4i + q, which are the unit's
// factors as they are (PTX ISA, mma.m16n8k16), and has the results of row g / 2, with bits 1, 0 and one more
// of the column in registers, bit 2 in g and two more in q. The columns whose numbers differ above these are
// the lane's groups. Stages of register bits are additions; those of q's bits pass between lanes, or come
// after the exchange through shared memory with those above kChunkBits, which are other warps'. Four rows of
// B at a time pass through it, those of the next product into the other half.
#pragma once

#include <bit>

#include "kernels/walsh/pair_agent.hpp"

namespace fugu::kernels {

// The rows of B by which the unit multiplies: those of 40 rows are the product of these 20 and the matrix of
// two rows, and bits of the column stand for those of m = 1.
constexpr int unit_rows(int m) {
  return m == 1 ? 4 : m == 40 ? 20 : m;
}

constexpr int half_sign(int m, int row, int column) {
  if (core::has_hadamard_base(m)) return core::hadamard_base(m, row, column);
  return std::popcount(static_cast<unsigned>(row & column)) % 2 == 0 ? 1 : -1;
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
          if (half_sign(m, transposed ? column : row, transposed ? row : column) < 0)
            words[t][lane] |= 0x80008000u >> i;
        }
      }
    }
  }
};

// The same of rows of 2^k, by Sylvester's matrix of four rows, without a table.
FUGU_HD constexpr std::uint32_t sylvester_signs(unsigned lane) {
  return (((lane >> 3 & lane) ^ (lane >> 4 & lane >> 1)) & 1) * 0x80008000u;
}

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

// The stage of bit 1 of the sums' numbers; where `order` is -1, each pair of results is the other way round.
FUGU_HD void pair_stage(float (&x)[8], float order) {
  FUGU_UNROLL
  for (unsigned i = 0; i < 8; i += i % 2 == 0 ? 1 : 3) {
    const float first = x[i], second = x[i + 2] * order;
    x[i] = first + second;
    x[i + 2] = first - second;
  }
}

template <class Half, std::size_t count>
FUGU_HD void round_words(std::uint32_t* words, const float (&x)[count], float factor) {
  FUGU_UNROLL
  for (std::size_t i = 0; i < count / 2; ++i)
    words[i] = word_of<Half>({x[2 * i] * factor + 0.0f, x[2 * i + 1] * factor + 0.0f});  // no -0 from sign()
}

// Rows of 2^k values, of which a lane has 8 neighbours: 2^k of them are in one lane, or in two for k = 4.
template <class Half, int k, class Swap>
FUGU_HD void transform_neighbours(std::uint32_t (&words)[4], float factor, const Swap& swap,
                                  unsigned thread) {
  Pair pairs[4];
  FUGU_UNROLL
  for (unsigned i = 0; i < 4; ++i) pairs[i] = transformed_pair<Half>(words[i]);
  core::butterflies<2>(pairs, 0, smaller(k - 1, 2));
  const float sign = (thread & 1) != 0 ? -1.0f : 1.0f;
  FUGU_UNROLL
  for (unsigned i = 0; i < 4; ++i) {
    if (k == 4)
      pairs[i] = Pair(swap(pairs[i].low, 1u), swap(pairs[i].high, 1u)) +
                 Pair(pairs[i].low * sign, pairs[i].high * sign);
    words[i] = word_of<Half>({pairs[i].low * factor, pairs[i].high * factor});
  }
}

template <int m, int k>
struct HalfRows {
  static constexpr HalfRowsShape kShape = half_rows_shape(m, k);
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
  // In shared memory the number of a row is above the column's bits: of four rows, or of four and 20 further.
  static constexpr int kRowBit = m == 1 ? 3 : k;
  static constexpr unsigned kSharedValues = kDirect ? 0 : half_shared_values(m, k);  // at a time
  static constexpr unsigned kItems = kDirect ? 0 : (kSharedValues >> kWindowBits) / kPiece;
  static_assert(kItems % kThreads == 0 && (kDirect || m == 1 || kShape.column_bits == k));

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
  FUGU_HD static unsigned first_joined(unsigned thread) {
    const unsigned g = thread % 32 / 4, q = thread % 4;
    return place(thread / 32 << kChunkBits) + row(g >> 1) +
           place((g & 1) << (kLow + kSwapped) | (q & 1) << kLaneBit0 | (q >> 1) << kLaneBit1);
  }

  // Whether rows have the place, of which there are `left` from the block's first on.
  FUGU_HD static bool within(unsigned at, unsigned left) { return kShape.column_bits == k || at < left; }

  // copy(to, from) copies four words. All loads begin before any is used, and whole blocks have no branches.
  template <class Copy>
  FUGU_HD static void load(Loads& loads, const Copy& copy, const std::uint32_t* block, unsigned left,
                           unsigned thread) {
    const unsigned first = first_load(thread);
    const std::uint32_t* const from = block + first / 2;
    const auto for_each = [&](const auto& action) {
      FUGU_UNROLL
      for (unsigned number = 0; number < kGroups; ++number) {
        FUGU_UNROLL
        for (unsigned i = 0; i < kFours; ++i) action(loads[number][i], group(number) + row(4 * i));
      }
    };
    if (within(kValues - 1, left)) {
      for_each([&](std::uint32_t(&to)[4], unsigned beyond) { copy(to, from + beyond / 2); });
    } else {
      for_each([&](std::uint32_t(&to)[4], unsigned beyond) {
        to[0] = to[1] = to[2] = to[3] = 0;
        if (first + beyond < left) copy(to, from + beyond / 2);
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
      if (kLow < k) pair_stage(values.x, kSwapped > 0 ? order(thread, 0) : 1.0f);
    }
    constexpr int own = m == 40 ? 1 : 0;  // the matrix of two rows
    core::butterflies<kShape.group_bits>(sums, 0,
                                         own + larger(0, smaller(kShape.group_bits - own, k - kGroupBit)));
    FUGU_UNROLL
    for (Floats<8>& values : sums) {
      FUGU_UNROLL
      for (int bit = 0; bit < kSwapped; ++bit) {
        // By the order of the pairs, what both lanes have to pass is the second of each.
        FUGU_UNROLL
        for (unsigned i = 2; i < 8; i += i % 2 == 0 ? 1 : 3) values.x[i] = swap(values.x[i], 1u << bit);
        pair_stage(values.x, bit + 1 < kSwapped ? order(thread, bit + 1) : 1.0f);
      }
    }
  }

  // Moves a group's sums to shared memory.
  FUGU_HD static void put(float* shared, const Floats<8>& sums, unsigned group, unsigned thread) {
    const unsigned g = thread % 32 / 4, q = thread % 4;
    const unsigned first = thread / 32 << kChunkBits | (g >> 1) << kRowBit | (g & 1) << 2 |
                           (q & 1) << kLaneBit0 | (q >> 1) << kLaneBit1;
    const unsigned beyond =
        m == 40 ? (group & 1) << (kRowBit + 2) | (group >> 1) << kGroupBit : group << kGroupBit;
    FUGU_UNROLL
    for (unsigned c = 0; c < 2; ++c)
      move<4>(shared + in_shared(first, beyond | c << (kLow + kSwapped)), neighbours(sums, c).x);
  }

  // A group's sums, rounded, with those of the lane whose g differs in bit 0: 8 neighbours, whose place is
  // first_joined().
  template <class Half, class Swap>
  FUGU_HD static void join(std::uint32_t (&words)[4], const Floats<8>& sums, float factor, const Swap& swap,
                           unsigned thread) {
    const bool upper = (thread & 4) != 0;
    std::uint32_t own[2][2];
    FUGU_UNROLL
    for (unsigned c = 0; c < 2; ++c)
      round_words<Half>(own[c], neighbours(sums, c).x, factor * sign(thread % 4, c));
    FUGU_UNROLL
    for (unsigned i = 0; i < 2; ++i) {
      const std::uint32_t other = swap(upper ? own[0][i] : own[1][i], 4u);
      words[i] = upper ? other : own[0][i];
      words[2 + i] = upper ? own[1][i] : other;
    }
  }

  // The place in shared memory of the first piece of item `item` of kItems; piece j is window(j) further.
  FUGU_HD static unsigned item_place(unsigned item) {
    unsigned at = item * kPiece;
    FUGU_UNROLL
    for (int bit = 0; bit < kWindowBits; ++bit)
      at = (at >> window_bit(bit) << (window_bit(bit) + 1)) | at % (1u << window_bit(bit));
    return at;
  }
  // The place in the block, but for the rows before the four, of what has a place in shared memory.
  FUGU_HD static constexpr unsigned from_shared(unsigned at) {
    return m == 40 ? at + (at >> (kRowBit + 2)) * row(16) : at;
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

  // store(beyond, words): the words of a piece, from the first on.
  template <class Half, class Store>
  FUGU_HD static void finish(Floats<kPiece> (&pieces)[1 << kWindowBits], const Store& store, unsigned at,
                             float factor) {
    core::butterflies<kWindowBits>(pieces, 0, kWindowBits);
    FUGU_UNROLL
    for (unsigned j = 0; j < 1u << kWindowBits; ++j) {
      std::uint32_t words[kPiece / 2];
      round_words<Half>(words, pieces[j].x, factor * sign(at >> kLow, at >> (kLow + kSwapped)));
      store(from_shared(window(j)), words);
    }
  }

 private:
  // The bits of the column that q's are in the end: the window's are the highest, so that stores are long.
  static constexpr int kLaneBit0 = kLow + (kSwapped > 0 ? 0 : 1), kLaneBit1 = kLow + (kSwapped > 1 ? 1 : 2);
  FUGU_HD static constexpr int window_bit(int bit) {
    return bit < kLaneBits ? kLow + 1 + kSwapped + bit : kChunkBits + bit - kLaneBits;
  }

  FUGU_HD static float order(unsigned thread, int bit) { return (thread >> bit & 1) != 0 ? -1.0f : 1.0f; }
  // The sign that a sum has besides its own: by q's bits of the column, and by the bit in whose place they
  // are.
  FUGU_HD static float sign(unsigned q, unsigned last) {
    const unsigned negative = kSwapped == 1 ? q & last : kSwapped == 2 ? (q >> 1) & (q ^ last) : 0;
    return (negative & 1) != 0 ? -1.0f : 1.0f;
  }
  FUGU_HD static Floats<4> neighbours(const Floats<8>& sums, unsigned c) {
    return {{sums.x[2 * c], sums.x[2 * c + 4], sums.x[2 * c + 1], sums.x[2 * c + 5]}};
  }

  // The index in shared memory of what is at first + beyond. Pieces of four lie in an order by which eight
  // lanes of put() and of get() use all banks: the column's bits in q change bits 1 and 2 of a piece's
  // number, if they are not these.
  FUGU_HD static constexpr unsigned in_shared(unsigned first, unsigned beyond) {
    return (turned(first) ^ (turned(beyond) & 0x18)) + (beyond & ~0x18u);
  }
  FUGU_HD static constexpr unsigned turned(unsigned at) {
    return at ^ (kLaneBit0 == 3 ? 0 : (at >> kLaneBit0 & 1) << 3) ^
           (kLaneBit1 == 4 ? 0 : (at >> kLaneBit1 & 1) << 4);
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
