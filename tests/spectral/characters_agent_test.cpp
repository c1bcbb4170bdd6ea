// Runs the code of the character table kernels in fake thread blocks on the host.
#include "kernels/characters/characters_agent.hpp"
#include "fugu/spectral/groups/characters.hpp"
#include "spectral/fake_block.hpp"
#include "support/testing.hpp"

namespace fugu::spectral {
namespace {

kernels::CharacterTable table_of(const CharacterGroup& group, const TableTile& tile, RowOrder order,
                                 std::uint32_t run_columns) {
  kernels::CharacterTable table{};
  table.modulus = group.modulus();
  table.factors = group.digits().factors;
  table.run_factor = 1;
  table.run_columns = run_columns;
  table.run_reciprocal = static_cast<std::uint32_t>((std::uint64_t{1} << 32) / run_columns + 1);
  table.reversed = order == RowOrder::equation1;
  table.first_row = tile.first_row;
  table.rows = tile.rows;
  table.first_column = tile.first_column;
  table.columns = tile.columns;
  std::ranges::copy(group.digits().radix, table.radix);
  std::ranges::copy(group.digits().weight, table.weight);
  for (int k = 0; k < table.factors; ++k) {
    table.reciprocal[k] = static_cast<std::uint32_t>((std::uint64_t{1} << 32) / table.radix[k] + 1);
  }
  return table;
}

// Writes the rows of `table` by the threads of a block, three runs per row. The last phase is
// write(stretch, thread, shared, exponents).
template <class Value, class Write>
void write_rows(const kernels::CharacterTable& table, const Write& write) {
  for (std::uint64_t row = 0; row < table.rows; ++row) {
    const kernels::CharacterStretch stretch{row, 0, 3};
    kernels::CharacterShared shared;
    std::vector<Value> exponents(table.run_columns + 8);
    std::vector<int> threads(64);
    run_phase(threads, ThreadOrder::downwards,
              [&](int, unsigned i) { kernels::character_weights(table, row, i, shared); });
    run_phase(threads, ThreadOrder::downwards, [&](int, unsigned i) {
      kernels::character_run_exponents(table, stretch, i, 64, shared, exponents.data());
    });
    run_phase(threads, ThreadOrder::downwards,
              [&](int, unsigned i) { write(stretch, i, shared, exponents.data()); });
  }
}

// Groups have three runs. Tiles begin and end inside runs and words, in rows in which runs differ.
template <class Value>
void expect_tables_of_phases(const CharacterGroup& group, std::uint32_t run_columns) {
  for (const RowOrder order : {RowOrder::kronecker, RowOrder::equation1}) {
    for (const TableTile tile : {TableTile{group.order() - 4, 3, run_columns - 7, run_columns + 9},
                                 TableTile{0, 2, 0, group.order()}, TableTile{group.order() / 2, 4, 3, 2}}) {
      std::vector<Value> expected(static_cast<std::size_t>(tile.rows * tile.columns)),
          values(group.modulus());
      character_table(group, tile, std::span(expected), order);
      std::iota(values.begin(), values.end(), Value{0});
      kernels::CharacterTable table = table_of(group, tile, order, run_columns);
      std::vector<Value> single(expected.size() + 8), words = single;
      table.out = single.data();
      write_rows<std::uint16_t>(table,
                                [&](const auto& stretch, unsigned i, const auto& shared, const auto* e) {
                                  kernels::character_write(table, stretch, i, 64, shared, e, values.data());
                                });
      table.out = words.data() + 1;
      write_rows<Value>(table, [&](const auto& stretch, unsigned i, const auto& shared, const Value* e) {
        kernels::character_write_words(table, stretch, i, 64, shared, e);
      });
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(single[i], expected[i]) << i;
        ASSERT_EQ(words[i + 1], expected[i]) << i;
      }
      EXPECT_EQ(words.front(), 0);
      EXPECT_EQ(words[expected.size() + 1], 0);
    }
  }
}

TEST(Agent, CharacterPhasesWriteTheTable) {
  if (std::endian::native == std::endian::big)
    GTEST_SKIP() << "words of several values are those of a GPU, which is little-endian";
  expect_tables_of_phases<std::uint8_t>(CharacterGroup::parse("3^7"), 729);
  expect_tables_of_phases<std::uint16_t>(CharacterGroup::parse("3^7"), 729);
  expect_tables_of_phases<std::uint8_t>(CharacterGroup::parse("3x4x3"), 12);
  expect_tables_of_phases<std::uint16_t>(CharacterGroup::parse("3x5x100"), 500);
}

// The moduli are the largest whose sums leave a bit of each lane unused.
TEST(Agent, ExponentWordsAddInEveryLane) {
  using Bytes = kernels::ExponentWords<std::uint8_t>;
  static_assert(Bytes::kMaxModulus == 64 && kernels::ExponentWords<std::uint16_t>::kMaxModulus == 16384);
  for (std::uint32_t shift = 0; shift < 64; ++shift) {
    for (std::uint32_t e = 0; e < 64; ++e) {
      const std::uint32_t expected =
          (e + shift) % 64 | (63 + shift) % 64 << 8 | shift << 16 | (e + shift) % 64 << 24;
      EXPECT_EQ(Bytes::shifted(e | 63u << 8 | e << 24, shift, 64), expected);
    }
  }
}

}  // namespace
}  // namespace fugu::spectral
