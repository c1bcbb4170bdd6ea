// Compares tiles of the transforms over groups, on the host, with the transforms of the CPU.
#include "kernels/group/group_agent.hpp"

#include "fugu/spectral/cuda/detail/group_plan.hpp"
#include "fugu/spectral/groups/characters.hpp"
#include "fugu/spectral/groups/vilenkin_chrestenson.hpp"
#include "kernels/characters/characters_agent.hpp"
#include "spectral/support.hpp"

namespace fugu::spectral {
namespace {

constexpr unsigned kThreads = 7;

// Each phase runs one thread after the other, upwards or downwards. The results would differ if a phase read
// what another thread writes in it.
template <class Ring, class Value>
void run_pass(const Ring& ring, std::uint32_t modulus, const kernels::GroupPass& pass,
              std::vector<Value>& data, bool upwards) {
  const std::uint64_t groups = (pass.stride + pass.columns - 1) / pass.columns;
  const std::uint64_t of_tile = std::uint64_t{pass.rows} * pass.repeats * pass.stride;
  const std::uint64_t tiles = (data.size() + of_tile - 1) / of_tile * groups;
  std::vector<Value> shared(std::size_t{pass.rows} * pass.repeats * pass.columns);
  for (std::uint64_t number = 0; number < tiles; ++number) {
    const auto phase = [&](auto run) {
      for (unsigned i = 0; i < kThreads; ++i) {
        const unsigned thread = upwards ? i : kThreads - 1 - i;
        run(kernels::GroupTile<Ring>(ring, modulus, pass, number, data.size(), thread, kThreads));
      }
    };
    phase([&](const auto& tile) { tile.load(data.data(), shared.data()); });
    for (int end = pass.axes; end > 0;) {
      const int count = kernels::GroupTile<Ring>::stage_axes(pass, end);
      phase([&](const auto& tile) { tile.stage(shared.data(), end, count); });
      end -= count;
    }
    phase([&](const auto& tile) { tile.store(data.data(), shared.data()); });
  }
}

template <class Ring, class Value>
void run_plan(const Ring& ring, const CharacterGroup& group, std::size_t value_bytes,
              std::vector<Value>& data) {
  bool upwards = true;
  for (const cuda::GroupStep& step : cuda::plan_group(group, value_bytes)) {
    if (step.in_tiles) {
      run_pass(ring, group.modulus(), step.pass, data, upwards);
    } else {
      const std::vector<Value> in = data;
      for (std::size_t i = 0; i < data.size(); ++i)
        data[i] =
            kernels::axis_result(ring, group.modulus(), step.pass.radix[0], step.pass.stride, in.data(), i);
    }
    upwards = !upwards;
  }
}

// Large `value_bytes` make tiles small, so that there are several passes.
void expect_spectrum(const char* name, std::size_t rows, std::size_t value_bytes) {
  SCOPED_TRACE(name);
  const CharacterGroup group = CharacterGroup::parse(name);
  std::mt19937 random(6);
  std::vector<std::complex<double>> values(rows * static_cast<std::size_t>(group.order()));
  for (auto& value : values)
    value = {static_cast<double>(random() % 1000), static_cast<double>(random() % 1000)};
  std::vector<std::complex<double>> expected = values;
  vilenkin_chrestenson(group, std::span(expected), {.threads = 1});
  std::vector<kernels::ComplexValue<double>> data, roots;
  for (const auto& value : values) data.push_back({value.real(), value.imag()});
  for (const auto& root : roots_of_unity<double>(group.modulus()))
    roots.push_back({root.real(), -root.imag()});
  run_plan(kernels::ComplexRing<double>{roots.data(), 1}, group, value_bytes, data);
  for (std::size_t i = 0; i < data.size(); ++i) {
    EXPECT_NEAR(data[i].re, expected[i].real(), 1e-6);
    EXPECT_NEAR(data[i].im, expected[i].imag(), 1e-6);
  }
}

TEST(GroupAgent, SpectraAreTheCpus) {
  expect_spectrum("3^7", 1, 4);
  expect_spectrum("3^8", 1, 2000);
  expect_spectrum("3^5", 3, 200);
  expect_spectrum("2^9", 2, 500);
  expect_spectrum("2x3x4x5x7", 2, 4);
  expect_spectrum("6x2^3x3^2x11", 1, 4000);
  expect_spectrum("5^3x13", 1, 1000);
  expect_spectrum("7x7x4", 1, 1000);
  expect_spectrum("37x3", 2, 4);
  expect_spectrum("3x101x2", 1, 4);
  expect_spectrum("1x3x1", 5, 4);
}

// 3^16 complex64 values take two passes.
TEST(GroupPlan, TakesAsManyAxesAsFit) {
  const auto steps = cuda::plan_group(CharacterGroup::parse("3^16"), 8);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].pass.axes, 9);
  EXPECT_EQ(steps[1].pass.axes, 7);
  EXPECT_EQ(steps[1].pass.stride, 19683u);
}

// Runs the code of the character table kernels in fake thread blocks on the host.

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
  for (int k = 0; k < table.factors; ++k)
    table.reciprocal[k] = static_cast<std::uint32_t>((std::uint64_t{1} << 32) / table.radix[k] + 1);
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
