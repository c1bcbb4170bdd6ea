// Rows of m 2^k values as the phases of a thread between barriers: out = scale (B x H) in, B being a Hadamard
// matrix of m rows or its transpose (fugu/core/hadamard_base.hpp).
//
// A block has 2^thread_bits threads and m times as many pairs of neighbours, which are whole rows and lie in
// shared memory as in device memory. In mix() a thread has the m pairs of a column and multiplies them by B;
// the pairs' own stage is done when they are loaded. transform_low() and transform_high() do the other
// stages, five bits each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "fugu/core/hadamard_base.hpp"
#include "kernels/walsh/pair_agent.hpp"
#include "kernels/walsh/walsh_agent.hpp"

namespace fugu::kernels {

template <int m, bool transposed>
constexpr unsigned signs_of(int row, int first_column) {
  unsigned signs = 0;
  for (int i = 0; i < 4; ++i) {
    const int column = first_column + i;
    const int entry = transposed ? core::hadamard_base(m, column, row) : core::hadamard_base(m, row, column);
    signs |= (entry < 0 ? 1u : 0u) << i;
  }
  return signs;
}
// The signs of four entries of a row: bit i is set where entry i is -1. A constant, since device code calls
// no host function.
template <int m, bool transposed, int row, int first_column>
constexpr unsigned kBaseSigns = signs_of<m, transposed>(row, first_column);

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
