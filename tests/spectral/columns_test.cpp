// Boolean spectra by columns and rows, run on the host.
#include "kernels/walsh/columns_agent.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <unordered_map>
#include <vector>

#include "fugu/spectral/boolean.hpp"
#include "spectral/definition.hpp"
#include "spectral/fake_block.hpp"
#include "support/many_cases.hpp"

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

// W(0) = 2^n - 2 wt(f).
std::int64_t spectrum_at_zero(const TruthTable& f) {
  std::int64_t sum = static_cast<std::int64_t>(f.size());
  for (const std::uint64_t word : f.words()) sum -= 2 * std::popcount(word);
  return sum;
}

// Counts as the device does: W = 4 q + r, with one counter per quotient q and the same remainder r for all.
// The counters are in the order of q = 0, -1, 1, -2, 2, ...
struct Counts {
  std::int64_t remainder;
  std::unordered_map<std::uint32_t, std::uint64_t> counters;
  float largest = 0;

  Histogram histogram() const {
    Histogram values;
    for (const auto& [counter, count] : counters) {
      const std::int64_t half = (std::int64_t{counter} + 1) / 2;
      values[4 * (counter % 2 == 0 ? half : -half) + remainder] = count;
    }
    return values;
  }
};

// Counts the values of the rows `first`, `first` + `step` and so on.
template <int row_bits, int low_bits = 13>
Counts counts_of(const TruthTable& f, ThreadOrder order, std::uint64_t first = 0, std::uint64_t step = 1) {
  using Column = kernels::ColumnTile<row_bits, low_bits>;
  using Row = kernels::RowTile<low_bits>;
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
  Counts counts{spectrum_at_zero(f) & 3, {}};
  std::vector<float> values(Row::kValueBytes / sizeof(float));
  std::vector<std::uint32_t> exchanged(Row::kPairBytes / sizeof(std::uint32_t));
  std::vector<Row> rows(Row::kThreads);
  for (std::uint64_t row = first; row < std::uint64_t{1} << row_bits; row += step) {
    run_phase(rows, order, [&](Row& t, unsigned i) {
      t.load(pairs.data(), row, i);
      t.put_pairs(exchanged.data(), i);
    });
    run_phase(rows, order, [&](Row& t, unsigned i) {
      t.get_pairs(exchanged.data(), i);
      t.split();
      t.put(values.data(), i);
    });
    run_phase(rows, order, [&](Row& t, unsigned i) {
      t.get(values.data(), i);
      t.finish();
      counts.largest = std::max(counts.largest, t.largest());
      const kernels::RowCounter counter = t.counter();
      t.give([&](float y) {
        const std::uint32_t index = counter.of(y);
        ++counts.counters[index];
        EXPECT_LE(static_cast<float>(index), t.largest());
      });
    });
  }
  return counts;
}

TruthTable function_of(int n, auto bit) {
  TruthTable f(n);
  for (std::size_t x = 0; x < f.size(); ++x) {
    if (bit(x)) f.words()[x / 64] |= std::uint64_t{1} << x % 64;
  }
  return f;
}

std::int64_t largest_of(const Histogram& histogram) {
  return std::max(std::abs(histogram.begin()->first), std::abs(histogram.rbegin()->first));
}

template <int row_bits, int low_bits = 13>
void expect_counts(const TruthTable& f, ThreadOrder order, const Histogram& expected, std::uint64_t first = 0,
                   std::uint64_t step = 1) {
  const Counts counts = counts_of<row_bits, low_bits>(f, order, first, step);
  EXPECT_EQ(counts.histogram(), expected);
  EXPECT_EQ(static_cast<std::int64_t>(2 * counts.largest), largest_of(expected));
}

// Takes functions of even and of odd weight: W is 0 or 2 modulo 4.
template <int row_bits>
void expect_random() {
  constexpr int n = row_bits + 13;
  TruthTable f(n);
  f.words() = test::random_bits(n, n);
  for (int flipped = 0; flipped < 2; ++flipped) {
    if (::fugu::test::kSanitized && flipped != row_bits % 2) continue;
    f.words()[0] ^= static_cast<std::uint64_t>(flipped);
    std::unordered_map<std::int64_t, std::uint64_t> counts;
    for (const std::int32_t value : walsh_spectrum(f)) ++counts[value];
    const Histogram expected(counts.begin(), counts.end());
    expect_counts<row_bits>(f, flipped == 0 ? ThreadOrder::upwards : ThreadOrder::downwards, expected);
  }
}

TEST(Columns, RandomFunctions) {
  expect_random<5>();
  expect_random<6>();
  expect_random<7>();
  expect_random<8>();
}

// (-1)^(a.x + c) has one nonzero coefficient, 2^n or -2^n, the largest value that bytes, halves and floats
// must hold.
template <int row_bits, int low_bits = 13>
void expect_affine(std::uint64_t a, bool c) {
  constexpr int n = row_bits + low_bits;
  const TruthTable f = function_of(n, [&](std::size_t x) { return (std::popcount(a & x) % 2 == 1) != c; });
  constexpr std::int64_t all = std::int64_t{1} << n;
  constexpr std::uint64_t step = ::fugu::test::kSanitized ? 8 : 1;
  expect_counts<row_bits, low_bits>(f, ThreadOrder::upwards, {{0, all / step - 1}, {c ? -all : all, 1}},
                                    (a >> low_bits) % step, step);
}

TEST(Columns, AffineFunctions) {
  for (const bool c : {false, true}) {
    expect_affine<5>(0, c);
    expect_affine<5>(0x3ffff, c);
    expect_affine<7>(0x5a5a5, c);
    if (::fugu::test::kSanitized && c) continue;
    expect_affine<8>(0xbcdef, c);
    expect_affine<9>(0, c);
  }
  expect_affine<10, 14>(0xabcdef, true);
}

// Rothaus 1976: every coefficient of the inner product is 2^(n/2) in magnitude.
TEST(Columns, BentFunctions) {
  const TruthTable f =
      function_of(20, [](std::size_t x) { return std::popcount(x & 0x3ff & x >> 10) % 2 == 1; });
  const Histogram histogram = counts_of<7>(f, ThreadOrder::upwards).histogram();
  ASSERT_EQ(histogram.size(), 2u);
  for (const auto& [value, count] : histogram) EXPECT_EQ(std::abs(value), 1 << 10) << count;
}

}  // namespace
}  // namespace fugu::spectral
