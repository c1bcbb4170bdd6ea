// Rows of floats, 32 or 16 bits each, as pairs of neighbours that are computed in float32. A pair's own stage
// is done when it is loaded, so that a row of 2^n values is one of 2^(n - 1) pairs with n - 1 stages.
// Rounding happens once, when a result is stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "fugu/core/hadamard_base.hpp"
#include "fugu/core/half.hpp"
#include "kernels/walsh/walsh_agent.hpp"

namespace fugu::kernels {

struct alignas(2 * sizeof(float)) Pair {
  float low;
  float high;

  Pair() = default;
  FUGU_HD constexpr explicit Pair(int value) : Pair(static_cast<float>(value), static_cast<float>(value)) {}
  FUGU_HD constexpr Pair(float first, float second) : low(first), high(second) {}

  FUGU_HD friend Pair operator+(Pair a, Pair b) { return {a.low + b.low, a.high + b.high}; }
  FUGU_HD friend Pair operator-(Pair a, Pair b) { return {a.low - b.low, a.high - b.high}; }
};

// The type that a pair has in memory: T is float, or a 16-bit float of which a word holds two.
template <class T>
using PairWord = std::conditional_t<std::is_same_v<T, float>, Pair, std::uint32_t>;

template <class T>
FUGU_HD Pair transformed_pair(PairWord<T> word) {
  if constexpr (std::is_same_v<T, float>) {
    return {word.low + word.high, word.low - word.high};
  } else {
    const float low = core::to_float(T{static_cast<std::uint16_t>(word)});
    const float high = core::to_float(T{static_cast<std::uint16_t>(word >> 16)});
    return {low + high, low - high};
  }
}

template <class T>
FUGU_HD PairWord<T> word_of(Pair pair) {
  if constexpr (std::is_same_v<T, float>) {
    return pair;
  } else {
#if __CUDA_ARCH__ >= 800
    std::uint32_t word;
    if constexpr (std::is_same_v<T, core::Float16>) {
      asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(pair.high), "f"(pair.low));
    } else {
      asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(pair.high), "f"(pair.low));
    }
    return word;
#else
    return core::rounded<T>(pair.low).bits | std::uint32_t{core::rounded<T>(pair.high).bits} << 16;
#endif
  }
}

template <class T>
struct WordSource {
  const PairWord<T>* words;
  FUGU_HD Pair operator()(std::uint64_t start, std::uint64_t beyond) const {
    return transformed_pair<T>(words[start + beyond]);
  }
};

template <class T>
struct WordSink {
  PairWord<T>* words;
  float factor;
  FUGU_HD void operator()(std::uint64_t at, Pair pair) const {
    words[at] = word_of<T>({pair.low * factor, pair.high * factor});
  }
};

// The signs of four entries of a row of a Hadamard matrix, or of its transpose: bit i is set where entry i is
// -1. A constant, since device code calls no host function.
template <int m, bool transposed, int row, int first_column>
constexpr unsigned kBaseSigns = [] {
  unsigned signs = 0;
  for (int i = 0, column = first_column; i < 4; ++i, ++column)
    if (core::hadamard_base(m, transposed ? column : row, transposed ? row : column) < 0) signs |= 1u << i;
  return signs;
}();

// The eight sums of four pairs that begin with +; which of them, or its negative, a row needs is known at
// compile time, so that a row takes m / 4 additions in place of m.
struct FourSums {
  Pair sums[8];

  FUGU_HD explicit FourSums(const Pair (&x)[4]) {
    const Pair left[] = {x[0] + x[1], x[0] - x[1]}, right[] = {x[2] + x[3], x[2] - x[3]};
    FUGU_UNROLL
    for (int i = 0; i < 8; ++i)
      sums[i] = (i & 1) != 0 ? left[i >> 2] - right[i >> 1 & 1] : left[i >> 2] + right[i >> 1 & 1];
  }

  // `sum` has no value before the first addition.
  template <unsigned signs, bool first>
  FUGU_HD void add_to(Pair& sum) const {
    constexpr unsigned changes = signs ^ signs >> 1;  // bits 0 to 2: between neighbours
    constexpr unsigned across = (signs ^ signs >> 2) & 1;
    const Pair& mine = sums[(changes & 1) << 2 | (changes >> 2 & 1) << 1 | across];
    if constexpr (first) {
      sum = (signs & 1) != 0 ? Pair(-mine.low, -mine.high) : mine;
    } else {
      sum = (signs & 1) != 0 ? sum - mine : sum + mine;
    }
  }
};

// Rows of m 2^k values as the phases of a thread between barriers: out = scale (B x H) in, B being a Hadamard
// matrix of m rows or its transpose (fugu/core/hadamard_base.hpp).
//
// A block has 2^thread_bits threads and m times as many pairs of neighbours, which are whole rows and lie in
// shared memory as in device memory. In mix() a thread has the m pairs of a column and multiplies them by B.
// transform_low() and transform_high() do the other stages, five bits each.
template <int m, bool transposed>
struct BaseRows {
  using Tile = WalshTile<Pair, 10, 5>;
  static constexpr int kItemBits = 5;
  static constexpr int kMaxPairBits = 16;  // of a block

  FUGU_HD static constexpr unsigned pairs(int thread_bits) { return unsigned{m} << thread_bits; }
  FUGU_HD static constexpr unsigned items(int thread_bits) { return pairs(thread_bits) >> kItemBits; }

  // `start`: of the block, in pairs of which there are `count`, all of whole rows of m 2^pair_bits.
  template <class Source>
  FUGU_HD static void mix(const Source& source, std::uint64_t start, std::uint64_t count, Pair* shared,
                          unsigned thread, int pair_bits) {
    const unsigned column = thread & ((1u << pair_bits) - 1);
    const unsigned first = (thread - column) * m + column;
    if (start + first >= count) return;
    Pair sums[std::size_t{m}];
    add_groups(source, start + first, pair_bits, sums, std::make_integer_sequence<int, m / 4>());
    FUGU_UNROLL
    for (unsigned i = 0; i < m; ++i) shared[Tile::padded(first + (i << pair_bits))] = sums[i];
  }

  FUGU_HD static void transform_low(Pair* shared, unsigned item, int pair_bits) {
    Tile tile;
    tile.get(shared, item, 0);
    tile.transform(0, 0, smaller(pair_bits, kItemBits));
    tile.put(shared, item, 0);
  }

  template <class Sink>
  FUGU_HD static void transform_high(Sink& sink, std::uint64_t start, std::uint64_t count, const Pair* shared,
                                     unsigned item, int pair_bits) {
    Tile tile;
    tile.get(shared, item, kItemBits);
    tile.transform(kItemBits, kItemBits, pair_bits);
    const auto here = [&](std::uint64_t at, Pair pair) { sink(start + at, pair); };
    tile.store(here, TileGeometry(kMaxPairBits, kMaxPairBits), 0, item, kItemBits, count - start);
  }

 private:
  template <class Source, int... group>
  FUGU_HD static void add_groups(const Source& source, std::uint64_t first, int pair_bits,
                                 Pair (&sums)[std::size_t{m}], std::integer_sequence<int, group...>) {
    (add_group<group * 4>(source, first, pair_bits, sums, std::make_integer_sequence<int, m>()), ...);
  }

  template <int column, class Source, int... row>
  FUGU_HD static void add_group(const Source& source, std::uint64_t first, int pair_bits,
                                Pair (&sums)[std::size_t{m}], std::integer_sequence<int, row...>) {
    Pair x[4];
    FUGU_UNROLL
    for (unsigned i = 0; i < 4; ++i) x[i] = source(first, (column + i) << pair_bits);
    const FourSums four(x);
    (four.template add_to<kBaseSigns<m, transposed, row, column>, column == 0>(sums[row]), ...);
  }
};

}  // namespace fugu::kernels
