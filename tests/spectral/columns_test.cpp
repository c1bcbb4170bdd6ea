// Boolean spectra by columns and rows, on the host.
#include "kernels/walsh/columns_agent.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <map>
#include <vector>

#include "fugu/spectral/boolean.hpp"
#include "spectral/definition.hpp"
#include "spectral/fake_block.hpp"

namespace fugu::spectral {
namespace {

using test::run_phase;
using test::ThreadOrder;
using Histogram = std::map<std::int64_t, std::uint64_t>;

std::vector<std::uint32_t> words_of(const TruthTable& f) {
  std::vector<std::uint32_t> words;
  for (const std::uint64_t word : f.words()) {
    words.push_back(static_cast<std::uint32_t>(word));
    words.push_back(static_cast<std::uint32_t>(word >> 32));
  }
  return words;
}

// Counts what a row's last stage would yield.
struct Counts {
  Histogram* histogram;

  void operator()(float a, float b) const {
    ++(*histogram)[static_cast<std::int64_t>(2 * (a + b))];
    ++(*histogram)[static_cast<std::int64_t>(2 * (a - b))];
  }
};

template <int row_bits>
Histogram histogram_of(const TruthTable& f, ThreadOrder order) {
  using Column = kernels::ColumnTile<row_bits>;
  using Row = kernels::RowTile;
  const std::vector<std::uint32_t> words = words_of(f);
  std::vector<std::uint32_t> pairs(f.size() / 2);
  std::vector<std::uint32_t> shared(Column::kSharedBytes / sizeof(std::uint32_t));
  std::vector<Column> columns(Column::kThreads);
  for (std::uint64_t tile = 0; tile < f.size() >> Column::kValueBits; ++tile) {
    run_phase(columns, order, [&](Column& t, unsigned i) {
      t.load(words.data(), tile, i);
      t.put(shared.data(), i);
    });
    run_phase(columns, order, [&](Column& t, unsigned i) {
      t.get(shared.data(), i);
      t.store(pairs.data(), tile, i);
    });
  }
  Histogram histogram;
  std::vector<float> values(Row::kSharedBytes / sizeof(float));
  std::vector<std::uint32_t> exchanged(values.size());
  std::vector<Row> rows(Row::kThreads);
  for (std::uint64_t row = 0; row < std::uint64_t{1} << row_bits; ++row) {
    run_phase(rows, order, [&](Row& t, unsigned i) {
      t.load(pairs.data(), row, i);
      t.put_pairs(exchanged.data(), i);
    });
    run_phase(rows, order, [&](Row& t, unsigned i) { t.get_pairs(exchanged.data(), i); });
    run_phase(rows, order, [&](Row& t, unsigned i) {
      t.split();
      t.put(values.data(), i);
    });
    run_phase(rows, order, [&](Row& t, unsigned i) {
      t.get(values.data(), i);
      t.finish();
      Counts counts{&histogram};
      t.give(counts);
    });
  }
  return histogram;
}

TruthTable function_of(int n, auto bit) {
  TruthTable f(n);
  for (std::size_t x = 0; x < f.size(); ++x) {
    if (bit(x)) f.words()[x / 64] |= std::uint64_t{1} << x % 64;
  }
  return f;
}

template <int row_bits>
void expect_random() {
  constexpr int n = row_bits + kernels::kLowVariables;
  TruthTable f(n);
  f.words() = test::random_bits(n, n);
  Histogram expected;
  for (const std::int32_t value : walsh_spectrum(f)) ++expected[value];
  EXPECT_EQ(histogram_of<row_bits>(f, ThreadOrder::upwards), expected);
  EXPECT_EQ(histogram_of<row_bits>(f, ThreadOrder::downwards), expected);
}

TEST(Columns, RandomFunctions) {
  expect_random<5>();
  expect_random<6>();
  expect_random<7>();
  expect_random<8>();
}

// (-1)^(a.x + c) has one coefficient, of 2^n or -2^n: the largest values that bytes, halves and floats hold.
// Every other one that they could hold wrongly is 0.
template <int row_bits>
void expect_affine(std::uint64_t a, bool c) {
  constexpr int n = row_bits + kernels::kLowVariables;
  const TruthTable f = function_of(n, [&](std::size_t x) { return (std::popcount(a & x) % 2 == 1) != c; });
  constexpr std::int64_t all = std::int64_t{1} << n;
  const Histogram expected{{0, all - 1}, {c ? -all : all, 1}};
  EXPECT_EQ(histogram_of<row_bits>(f, ThreadOrder::upwards), expected) << a << " " << c;
}

TEST(Columns, AffineFunctions) {
  for (const bool c : {false, true}) {
    expect_affine<5>(0, c);
    expect_affine<5>(0x3ffff, c);
    expect_affine<7>(0x5a5a5, c);
    expect_affine<8>(0, c);
    expect_affine<8>(0xbcdef, c);
  }
}

// Rothaus 1976: every coefficient of the inner product is 2^(n/2) in magnitude.
TEST(Columns, BentFunctions) {
  const TruthTable f =
      function_of(20, [](std::size_t x) { return std::popcount(x & 0x3ff & x >> 10) % 2 == 1; });
  const Histogram histogram = histogram_of<7>(f, ThreadOrder::upwards);
  ASSERT_EQ(histogram.size(), 2u);
  for (const auto& [value, count] : histogram) EXPECT_EQ(std::abs(value), 1 << 10) << count;
}

}  // namespace
}  // namespace fugu::spectral
