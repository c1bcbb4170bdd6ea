// Boolean spectra by matrix units, run on the host.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <map>
#include <vector>

#include "fugu/spectral/boolean.hpp"
#include "kernels/spectral_launch.hpp"
#include "kernels/walsh/counter_sum_agent.hpp"
#include "kernels/walsh/once_agent.hpp"
#include "kernels/walsh/partial_agent.hpp"
#include "spectral/definition.hpp"
#include "spectral/fake_matrix_unit.hpp"
#include "support/many_cases.hpp"

namespace fugu::spectral {
namespace {

using kernels::BitPair;
using kernels::Halves;
using kernels::OnceTile;
using kernels::PartialRowTile;
using kernels::PartialTile;
using test::run_matrix_phase;
using test::run_phase;
using test::ThreadOrder;
using Histogram = std::map<std::int64_t, std::uint64_t>;

std::vector<BitPair> pairs_of(const TruthTable& f) {
  std::vector<BitPair> pairs;
  for (const std::uint64_t word : f.words())
    pairs.push_back({static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)});
  return pairs;
}

TruthTable function_of(int n, auto bit) {
  TruthTable f(n);
  for (std::size_t x = 0; x < f.size(); ++x) {
    if (bit(x)) f.words()[x / 64] |= std::uint64_t{1} << x % 64;
  }
  return f;
}

TruthTable random_function(int n) {
  TruthTable f(n);
  f.words() = test::random_bits(n, static_cast<std::uint64_t>(n));
  return f;
}

TEST(Halves, SumsAndWhatIsExact) {
  const Halves a{kernels::halves_of(3, -2047)}, b{kernels::halves_of(-4, 1)};
  EXPECT_EQ((a + b).bits, kernels::halves_of(-1, -2046));
  EXPECT_EQ((a - b).bits, kernels::halves_of(7, -2048));
  EXPECT_TRUE(kernels::below_2048(a.bits));
  EXPECT_FALSE(kernels::below_2048((a - b).bits));
  EXPECT_FALSE(kernels::below_2048(0x7c003c00));  // infinity
  EXPECT_FALSE(kernels::below_2048(0xfe00));      // NaN
}

// Adds the values W = 2 Y, of which the results are Y + shift.
void add_values(const kernels::BeforeLastStage& last, Histogram& histogram, float shift = 0) {
  float most = 0;
  EXPECT_EQ(last.first(), last.x[0] + last.x[8]);
  last.give([&](float v) {
    ++histogram[2 * static_cast<std::int64_t>(v - shift)];
    most = std::max(most, std::fabs(v));
  });
  EXPECT_EQ(last.largest(), most);
}

// Returns the values of the blocks [first, end) of the one launch.
template <int variables, int top_bits>
Histogram values_of(const TruthTable& f, unsigned first, unsigned end, ThreadOrder order) {
  using Tile = OnceTile<variables, top_bits>;
  const std::vector<BitPair> words = pairs_of(f);
  std::vector<float> shared(Tile::kSharedBytes / sizeof(float));
  Histogram histogram;
  for (unsigned block = first; block < end; ++block) {
    std::vector<Tile> threads(Tile::kThreads);
    run_matrix_phase(threads, order,
                     [&](Tile& tile, unsigned i, auto unit) { tile.count(unit, words.data(), block, i); });
    for (unsigned top = 0; top < Tile::kParts; ++top) {
      run_matrix_phase(threads, order,
                       [&](Tile& tile, unsigned i, auto unit) { tile.multiply(unit, top, i); });
      run_phase(threads, order, [&](Tile& tile, unsigned i) { tile.put(shared.data(), i); });
      run_phase(threads, order, [&](Tile& tile, unsigned i) {
        tile.get(shared.data(), i);
        add_values(tile.last, histogram);
        Histogram shifted, same;
        add_values(tile.last, same);
        tile.last.shift(0.5f);
        add_values(tile.last, shifted, 0.5f);
        EXPECT_EQ(shifted, same);
      });
    }
  }
  return histogram;
}

TEST(OneLaunchByMatrixUnits, RandomFunctions) {
  const TruthTable f = random_function(18);
  Histogram expected;
  for (const std::int32_t value : walsh_spectrum(f)) ++expected[value];
  EXPECT_EQ((values_of<18, 0>(f, 0, 32, ThreadOrder::upwards)), expected);
}

// Three blocks, which differ in the low 8 bits and in those of the chain, from 17 on.
template <int n, int top_bits = 0>
void expect_three_blocks() {
  const TruthTable f = random_function(n);
  const std::vector<std::int32_t> spectrum = walsh_spectrum(f);
  constexpr unsigned links = 1u << (n - 17 - top_bits), first = 7 * links - 1, end = 7 * links + 2;
  Histogram expected;
  for (std::size_t a = 0; a < spectrum.size(); ++a) {
    const std::size_t block = (a & 255) / 16 * links + (a >> 17) % links;
    if (block >= first && block < end) ++expected[spectrum[a]];
  }
  EXPECT_EQ((values_of<n, top_bits>(f, first, end, ThreadOrder::downwards)), expected) << n;
}

TEST(OneLaunchByMatrixUnits, RandomFunctionsOfManyLinks) {
  expect_three_blocks<19>();
  expect_three_blocks<20>();
  expect_three_blocks<20, 1>();
  expect_three_blocks<21>();
}

// (-1)^(a.x + c) has one nonzero coefficient, 2^n or -2^n.
template <int n, int top_bits = 0>
void expect_affine(std::uint64_t a, bool c, unsigned first, unsigned end) {
  const TruthTable f = function_of(n, [&](std::size_t x) { return (std::popcount(a & x) % 2 == 1) != c; });
  const std::int64_t all = std::int64_t{1} << n,
                     values = all / static_cast<int>(kernels::once_blocks(n, top_bits));
  EXPECT_EQ((values_of<n, top_bits>(f, first, end, ThreadOrder::upwards)),
            (Histogram{{0, (end - first) * values - 1}, {c ? -all : all, 1}}));
}

TEST(OneLaunchByMatrixUnits, AffineFunctions) {
  for (const bool c : {false, true}) {
    if (!::fugu::test::kSanitized || c) expect_affine<18>(0, c, 0, 32);
    expect_affine<18>(0x2fad5, c, 0, 32);
    expect_affine<20>(0xe0006, c, 7, 8);  // of group 0: value 7 of the chain's bits
    expect_affine<20, 1>(0xe0006, c, 3, 4);
    expect_affine<20, 1>(0x60006, c, 3, 4);
  }
}

TEST(CounterSums, SumsOfRows) {
  using kernels::CounterSums;
  constexpr std::uint32_t kRows = 150, kPairs = 2 * CounterSums::kPairs, kLarge = 77;
  std::vector<std::uint32_t> rows(kRows * kPairs), expected(kPairs), shared(2 * CounterSums::kThreads);
  for (std::uint32_t row = 0; row < kRows; ++row) {
    for (std::uint32_t pair = 0; pair < kPairs; ++pair) {
      const std::uint32_t first = (row * 7919 + pair) % 430, second = pair == kLarge ? 437 : 436;
      rows[row * kPairs + pair] = first | second << 16;
      expected[pair] += first + (second << 16);
    }
  }
  for (unsigned block = 0; block < 2; ++block) {
    std::vector<CounterSums> threads(CounterSums::kThreads);
    run_phase(threads, ThreadOrder::upwards, [&](CounterSums& sums, unsigned i) {
      sums.add(rows.data(), kRows, kPairs, block, i);
      sums.put(shared.data(), i);
    });
    for (unsigned i = 0; i < CounterSums::kPairs; ++i) {
      std::uint32_t pair = 0;
      const unsigned at = block * CounterSums::kPairs + i;
      EXPECT_EQ(CounterSums::sum(shared.data(), i, pair), at != kLarge) << i;  // 150 times 437 is 65550
      if (at != kLarge) {
        EXPECT_EQ(pair, expected[at]) << i;
      }
    }
  }
}

struct Bytes {
  std::vector<std::uint8_t> values;
  bool lost = false;
};

// Returns the bytes of the rows of group i of each warp: 64 warp + 16 i .. 64 warp + 16 i + 15, and 256 more
// than these.
Bytes bytes_of(const TruthTable& f, unsigned i, ThreadOrder order, unsigned tiles = PartialTile::kTiles) {
  const std::vector<BitPair> words = pairs_of(f);
  Bytes bytes{std::vector<std::uint8_t>(f.size())};
  for (unsigned tile = 0; tile < tiles; ++tile) {
    std::vector<PartialTile> threads(PartialTile::kThreads);
    run_phase(threads, order, [&](PartialTile& t, unsigned thread) { t.load(words.data(), tile, thread); });
    for (unsigned half = 0; half < PartialTile::kHalves; ++half) {
      run_matrix_phase(threads, order, [&](PartialTile& t, unsigned, auto unit) { t.weigh(unit, half); });
      run_phase(threads, order, [&](PartialTile& t, unsigned) { t.set_bias(half); });
      run_matrix_phase(threads, order,
                       [&](PartialTile& t, unsigned thread, auto unit) { t.count(unit, i, half, thread); });
      run_phase(threads, order, [&](PartialTile& t, unsigned thread) { t.add(i, half, thread); });
    }
    run_phase(threads, order, [&](PartialTile& t, unsigned thread) {
      t.store(bytes.values.data(), i, tile, thread);
      bytes.lost = bytes.lost || t.lost();
    });
  }
  return bytes;
}

// Returns the histogram of one row, or null if values were lost.
std::optional<Histogram> row_of(const std::vector<std::uint8_t>& bytes, unsigned row, ThreadOrder order) {
  std::vector<std::uint32_t> shared(PartialRowTile::kSharedBytes / sizeof(std::uint32_t));
  std::vector<PartialRowTile> threads(PartialRowTile::kThreads);
  run_matrix_phase(threads, order, [&](PartialRowTile& t, unsigned i, auto unit) {
    t.load(bytes.data(), row, i);
    t.multiply_first(unit, i);
  });
  run_matrix_phase(threads, order, [&](PartialRowTile& t, unsigned i, auto unit) {
    t.multiply_second(unit, kernels::hadamard_16(i));
  });
  bool lost = false;
  run_phase(threads, order, [&](PartialRowTile& t, unsigned i) {
    t.add();
    lost = lost || t.lost();
    t.put(shared.data(), i);
  });
  run_phase(threads, order, [&](PartialRowTile& t, unsigned i) { t.get(shared.data(), i); });
  Histogram histogram;
  for (unsigned part = 0; part < PartialRowTile::kParts; ++part) {
    run_matrix_phase(threads, order, [&](PartialRowTile& t, unsigned i, auto unit) {
      t.multiply_last(unit, part, kernels::hadamard_16(i));
    });
    const float shift = part % 2 == 0 ? 0.5f : 0;
    run_phase(threads, order,
              [&](PartialRowTile& t, unsigned) { add_values(t.last(shift), histogram, shift); });
  }
  return lost ? std::nullopt : std::optional(histogram);
}

// Enough where each tile loses values.
constexpr unsigned kLosingTiles = ::fugu::test::kSanitized ? 2 : PartialTile::kTiles;

TEST(BytesByMatrixUnits, RandomFunction) {
  const TruthTable f = random_function(24);
  const std::vector<std::int32_t> spectrum = walsh_spectrum(f);
  for (const auto& [i, row] : {std::pair{0u, 0u}, {3u, 256u + 255}, {1u, 64u + 16 + 9}}) {
    if (::fugu::test::kSanitized && i == 1) continue;
    const ThreadOrder order = i == 0 ? ThreadOrder::upwards : ThreadOrder::downwards;
    const Bytes bytes = bytes_of(f, i, order);
    EXPECT_FALSE(bytes.lost);
    for (std::size_t block = 0; block < 1 << 15; block += 4099) {  // sum of (-1)^(f(x) + row.x), halved
      int sum = 0;
      for (std::size_t x = 0; x < 512; ++x)
        sum += (f[512 * block + x] ? -1 : 1) * (std::popcount(row & x) % 2 == 1 ? -1 : 1);
      EXPECT_EQ(bytes.values[std::size_t{row} << 15 | block], sum / 2 + 128);
    }
    Histogram expected;
    for (std::size_t a = row; a < spectrum.size(); a += 512) ++expected[spectrum[a]];
    EXPECT_EQ(row_of(bytes.values, row, order), expected) << row;
  }
}

// Rothaus 1976: a sum of products of disjoint pairs of variables is bent: every |W| is 2^(n/2).
TEST(BytesByMatrixUnits, BentFunction) {
  const TruthTable f =
      function_of(24, [](std::size_t x) { return std::popcount(x & x >> 1 & 0x555555) % 2 == 1; });
  const Bytes bytes = bytes_of(f, 2, ThreadOrder::upwards);
  EXPECT_FALSE(bytes.lost);
  const auto histogram = row_of(bytes.values, 32 + 5, ThreadOrder::upwards);
  ASSERT_TRUE(histogram);
  for (const auto& [value, count] : *histogram) EXPECT_EQ(std::abs(value), 1 << 12) << count;
}

// `weight` ones in each 256 bits: row 0 is 2 (128 - weight), the largest that fits with 65 ones, and row 256
// is 0.
TEST(BytesByMatrixUnits, LargestValues) {
  const auto function_of_weight = [](std::size_t weight) {
    return function_of(24, [=](std::size_t x) { return x * 73 % 256 < weight; });
  };
  const Bytes bytes = bytes_of(function_of_weight(65), 0, ThreadOrder::upwards);
  EXPECT_FALSE(bytes.lost);
  for (std::size_t block = 0; block < 1 << 15; block += 4099) {
    EXPECT_EQ(bytes.values[block], 126 + 128);
    EXPECT_EQ(bytes.values[std::size_t{256} << 15 | block], 0 + 128);
  }
  EXPECT_TRUE(bytes_of(function_of_weight(64), 0, ThreadOrder::upwards, kLosingTiles).lost);
  EXPECT_TRUE(bytes_of(function_of_weight(193), 0, ThreadOrder::upwards, kLosingTiles).lost);
}

// A linear function of the low 8 bits has 256 equal signs, more than a byte holds. A bent function of these
// bits is the same on all blocks, so a sum of 2^10 of them exceeds the range of halves.
TEST(BytesByMatrixUnits, LostValuesAreNoticed) {
  const TruthTable linear = function_of(24, [](std::size_t x) { return std::popcount(x & 0x77) % 2 == 1; });
  EXPECT_TRUE(bytes_of(linear, 3, ThreadOrder::upwards, kLosingTiles).lost);
  const TruthTable bent =
      function_of(24, [](std::size_t x) { return std::popcount(x & x >> 4 & 15) % 2 == 1; });
  const Bytes bytes = bytes_of(bent, 0, ThreadOrder::upwards);
  EXPECT_FALSE(bytes.lost);
  EXPECT_EQ(row_of(bytes.values, 3, ThreadOrder::upwards), std::nullopt);
}

}  // namespace
}  // namespace fugu::spectral
