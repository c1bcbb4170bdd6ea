// One run of a row of a character table, as the phases of one thread between barriers.
//
// A block makes a stretch of one row. Its columns come in runs: the columns that share the digits of the
// leading factors. The exponents of a run's columns relative to its start are the same for every run of the
// row: phase one computes them into shared memory, together with what each run adds; phase two adds, reduces
// once, looks the value up and writes. Nothing is read but the table of roots.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fugu/core/digits.hpp"
#include "fugu/core/hd.hpp"
#include "kernels/spectral_launch.hpp"

namespace fugu::kernels {

// Runs a block does at most: their shifts are in shared memory too.
inline constexpr std::uint32_t kRunsPerBlock = 16;

// Exponent of column `z` counted within the factors [first, last) of the table's group.
FUGU_HD std::uint32_t character_exponent(const CharacterTable& table, const std::uint32_t* weights, int first,
                                         int last, std::uint64_t z) {
  std::uint64_t e = 0;
  for (int s = last - 1; s >= first; --s) {
    const std::uint64_t rest =
        z >> 32 == 0 ? static_cast<std::uint32_t>(z) / table.radix[s] : z / table.radix[s];
    e += (z - rest * table.radix[s]) * weights[s];
    z = rest;
  }
  return static_cast<std::uint32_t>(e % table.modulus);
}

// What a block keeps in shared memory.
struct CharacterShared {
  std::uint32_t weights[kMaxCharacterFactors];
  std::uint32_t shifts[kRunsPerBlock];
};

// A stretch of a row: the runs [first_run, first_run + runs) of the column range.
struct CharacterStretch {
  std::uint64_t row;        // within the tile
  std::uint64_t first_run;  // of the whole table
  std::uint32_t runs;
};

// Thread s takes factor s: its digit of the row, times its weight.
FUGU_HD void character_weights(const CharacterTable& table, std::uint64_t row, unsigned thread,
                               CharacterShared& shared) {
  if (thread >= static_cast<unsigned>(table.factors)) return;
  const int s = static_cast<int>(thread);
  std::uint64_t below = 1;
  for (int k = table.reversed ? 0 : s + 1; k < (table.reversed ? s : table.factors); ++k)
    below *= table.radix[k];
  const std::uint64_t digit = (table.first_row + row) / below % table.radix[s];
  shared.weights[s] = static_cast<std::uint32_t>(digit) * table.weight[s];
}

// The same as character_exponent() for the columns of a run, by multiplication instead of division: with the
// radix's reciprocal rounded up, the high half of the product is the quotient while z radix < 2^32.
FUGU_HD std::uint32_t run_exponent(const CharacterTable& table, const std::uint32_t* weights,
                                   std::uint32_t z) {
  std::uint32_t e = 0;
  for (int s = table.factors - 1; s >= table.run_factor; --s) {
    const std::uint32_t rest = static_cast<std::uint32_t>(std::uint64_t{z} * table.reciprocal[s] >> 32);
    e += (z - rest * table.radix[s]) * weights[s];
    z = rest;
  }
  return e;
}

FUGU_HD void character_run_exponents(const CharacterTable& table, const CharacterStretch& stretch,
                                     unsigned thread, unsigned threads, CharacterShared& shared,
                                     std::uint16_t* exponents) {
  for (std::uint32_t z = thread; z < table.run_columns; z += threads) {
    exponents[z] = static_cast<std::uint16_t>(run_exponent(table, shared.weights, z) % table.modulus);
  }
  if (thread < stretch.runs) {
    shared.shifts[thread] =
        character_exponent(table, shared.weights, 0, table.run_factor, stretch.first_run + thread);
  }
}

// A thread keeps its column of the run and walks through the runs, so that a value costs one addition, one
// comparison, one look-up and one store.
template <class Value>
FUGU_HD void character_write(const CharacterTable& table, const CharacterStretch& stretch, unsigned thread,
                             unsigned threads, const CharacterShared& shared, const std::uint16_t* exponents,
                             const Value* values) {
  // Counted from the stretch's first column, the tile's columns are [begin, end): a tile may start inside a
  // run.
  const std::uint64_t start = stretch.first_run * table.run_columns;
  const std::uint32_t begin =
      start < table.first_column ? static_cast<std::uint32_t>(table.first_column - start) : 0;
  const std::uint64_t left = table.first_column + table.columns - start;
  const std::uint32_t all = stretch.runs * table.run_columns;
  const std::uint32_t end = left < all ? static_cast<std::uint32_t>(left) : all;
  Value* row = static_cast<Value*>(table.out) + stretch.row * table.columns + (start - table.first_column);
  for (std::uint32_t z = thread; z < table.run_columns; z += threads) {
    const std::uint32_t exponent = exponents[z];
    for (std::uint32_t run = 0, column = z; run < stretch.runs; ++run, column += table.run_columns) {
      if (column - begin >= end - begin) continue;
      const std::uint32_t e = exponent + shared.shifts[run];
      row[column] = values[e >= table.modulus ? e - table.modulus : e];
    }
  }
}

}  // namespace fugu::kernels
