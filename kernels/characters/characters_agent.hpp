// One run of a row of a character table, as the phases of one thread between barriers.
//
// A block makes a stretch of one row, in runs of columns that share the digits of the leading factors. The
// exponents of a run's columns relative to its start are the same for every run of the row: phase one
// computes them into shared memory, together with each run's shift; phase two adds, reduces once, looks the
// value up and writes. Only the table of roots is read.
#pragma once

#include <cstdint>

#include "fugu/core/digits.hpp"
#include "fugu/core/hd.hpp"
#include "kernels/spectral_launch.hpp"

namespace fugu::kernels {

// The exponent of column `z`, an index within the factors [first, last) of the table's group.
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

// The shared memory of a thread-block.
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

// Thread s handles factor s: its digit of the row, times its weight.
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

template <class Exponent>
FUGU_HD void character_run_exponents(const CharacterTable& table, const CharacterStretch& stretch,
                                     unsigned thread, unsigned threads, CharacterShared& shared,
                                     Exponent* exponents) {
  for (std::uint32_t z = thread; z < table.run_columns; z += threads) {
    exponents[z] = static_cast<Exponent>(run_exponent(table, shared.weights, z) % table.modulus);
  }
  if (thread < stretch.runs) {
    shared.shifts[thread] =
        character_exponent(table, shared.weights, 0, table.run_factor, stretch.first_run + thread);
  }
}

// Relative to the stretch's first column, the tile's columns are [begin, end): a tile may start inside a run.
// `offset` is the first column's place in the output, negative if it precedes the tile.
struct StretchColumns {
  std::uint32_t begin, end;
  std::int64_t offset;

  FUGU_HD StretchColumns(const CharacterTable& table, const CharacterStretch& stretch) {
    const std::uint64_t start = stretch.first_run * table.run_columns;
    const std::uint64_t left = table.first_column + table.columns - start;
    const std::uint32_t all = stretch.runs * table.run_columns;
    begin = start < table.first_column ? static_cast<std::uint32_t>(table.first_column - start) : 0;
    end = left < all ? static_cast<std::uint32_t>(left) : all;
    offset = static_cast<std::int64_t>(stretch.row * table.columns + start - table.first_column);
  }
};

// A thread keeps its column of the run and steps through the runs, so that a value costs one addition, one
// comparison, one look-up and one store.
template <class Value>
FUGU_HD void character_write(const CharacterTable& table, const CharacterStretch& stretch, unsigned thread,
                             unsigned threads, const CharacterShared& shared, const std::uint16_t* exponents,
                             const Value* values) {
  const StretchColumns columns(table, stretch);
  const std::uint32_t begin = columns.begin, end = columns.end;
  Value* row = static_cast<Value*>(table.out) + columns.offset;
  for (std::uint32_t z = thread; z < table.run_columns; z += threads) {
    const std::uint32_t exponent = exponents[z];
    for (std::uint32_t run = 0, column = z; run < stretch.runs; ++run, column += table.run_columns) {
      if (column - begin >= end - begin) continue;
      const std::uint32_t e = exponent + shared.shifts[run];
      row[column] = values[e >= table.modulus ? e - table.modulus : e];
    }
  }
}

// A word that aliases other code's values.
using ValueWord [[gnu::may_alias]] = std::uint32_t;

// Exponents written directly, several per 32-bit word. Value is std::uint8_t or std::uint16_t; each lane
// needs one spare bit for the sum of two exponents and one for the comparison.
template <class Value>
struct ExponentWords {
  static constexpr std::uint32_t kBits = 8 * sizeof(Value);
  static constexpr std::uint32_t kLanes = 32 / kBits;
  static constexpr std::uint32_t kMaxModulus = 1u << (kBits - 2);
  static constexpr std::uint32_t kOnes = 0xffffffffu / ((1ull << kBits) - 1);  // 1 in every lane

  // (e + shift) mod modulus in every lane.
  FUGU_HD static std::uint32_t shifted(std::uint32_t e, std::uint32_t shift, std::uint32_t modulus) {
    constexpr std::uint32_t kTops = kOnes << (kBits - 1);
    const std::uint32_t sum = e + shift * kOnes;
    const std::uint32_t reaches = ((sum | kTops) - modulus * kOnes) >> (kBits - 1) & kOnes;
    return sum - reaches * modulus;
  }

  // The word that begins at value `at` of an array.
  FUGU_HD static std::uint32_t load(const Value* values, std::uint32_t at) {
    const auto* words = reinterpret_cast<const ValueWord*>(values) + at / kLanes;
    const std::uint64_t both = std::uint64_t{words[1]} << 32 | words[0];
    return static_cast<std::uint32_t>(both >> (at % kLanes * kBits));
  }
};

// A contiguous stretch: whole aligned words, and single values before and after them. `exponents` are the
// run's, with a spare word.
template <class Value>
struct ExponentStretch {
  using Words = ExponentWords<Value>;

  const CharacterTable& table;
  const CharacterShared& shared;
  const Value* exponents;

  FUGU_HD std::uint32_t run_of(std::uint32_t column) const {
    return static_cast<std::uint32_t>(std::uint64_t{column} * table.run_reciprocal >> 32);
  }

  FUGU_HD Value value(std::uint32_t column) const {
    const std::uint32_t run = run_of(column);
    const std::uint32_t e = exponents[column - run * table.run_columns] + shared.shifts[run];
    return static_cast<Value>(e >= table.modulus ? e - table.modulus : e);
  }

  FUGU_HD std::uint32_t word(std::uint32_t column) const {
    const std::uint32_t run = run_of(column);
    const std::uint32_t z = column - run * table.run_columns;
    if (z + Words::kLanes <= table.run_columns)
      return Words::shifted(Words::load(exponents, z), shared.shifts[run], table.modulus);
    std::uint32_t word = 0;
    for (std::uint32_t lane = 0; lane < Words::kLanes; ++lane)
      word |= std::uint32_t{value(column + lane)} << (lane * Words::kBits);
    return word;
  }

  // Writes columns [begin, end), relative to the stretch's first, at row + begin.
  FUGU_HD void write(Value* row, std::uint32_t begin, std::uint32_t end, unsigned thread,
                     unsigned threads) const {
    const auto place =
        static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(row + begin) / sizeof(Value));
    const std::uint32_t before = (0u - place) % Words::kLanes;
    const std::uint32_t first = begin + before < end ? begin + before : end;
    const std::uint32_t words = (end - first) / Words::kLanes;
    auto* aligned = reinterpret_cast<ValueWord*>(row + first);
    for (std::uint32_t w = thread; w < words; w += threads) aligned[w] = word(first + w * Words::kLanes);
    const std::uint32_t behind = first + words * Words::kLanes;
    if (thread < first - begin) row[begin + thread] = value(begin + thread);
    if (thread < end - behind) row[behind + thread] = value(behind + thread);
  }
};

template <class Value>
FUGU_HD void character_write_words(const CharacterTable& table, const CharacterStretch& stretch,
                                   unsigned thread, unsigned threads, const CharacterShared& shared,
                                   const Value* exponents) {
  const StretchColumns columns(table, stretch);
  ExponentStretch<Value>{table, shared, exponents}.write(static_cast<Value*>(table.out) + columns.offset,
                                                         columns.begin, columns.end, thread, threads);
}

}  // namespace fugu::kernels
