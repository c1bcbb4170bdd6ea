// S-boxes whose tables are counted in 16 or fewer bits, where these just suffice and where they wrap.
#include "fugu/spectral/sbox/autocorrelation.hpp"

#include "fugu/spectral/detail/walsh_kernels.hpp"
#include "fugu/spectral/sbox/boomerang.hpp"
#include "fugu/spectral/sbox/detail/rows.hpp"
#include "fugu/spectral/sbox/differential.hpp"
#include "fugu/spectral/sbox/linear.hpp"
#include "spectral/support.hpp"

namespace fugu::spectral {
namespace {

// The transform of (-1)^(a.x + c) is (-1)^c N at a and 0 elsewhere.
TEST(NarrowLinear, AffineFunctions) {
  for (const int n : {5, 6, 8, 15, 16, 17}) {
    const auto size = std::int32_t{1} << n;
    for (const std::uint32_t a : {0u, 1u, 19u, static_cast<std::uint32_t>(size - 1)}) {
      for (const std::uint32_t c : {0u, 1u}) {
        SCOPED_TRACE(testing::Message() << "n = " << n << ", a = " << a << ", c = " << c);
        const std::int32_t value = c != 0 ? -size : size;
        const Linear found = linear(box_of(n, 1, [&](std::uint32_t x) { return parity(a & x) ^ c; }));
        EXPECT_EQ(found.walsh, (Histogram{{0, static_cast<std::uint64_t>(size) - 1}, {value, 1}}));
        EXPECT_EQ(found.linearity, static_cast<std::uint64_t>(size));
        EXPECT_EQ(found.first_a, a);
        EXPECT_EQ(found.first_b, 1u);
        EXPECT_EQ(found.first_value, value);
        EXPECT_EQ(found.plateaued, 1u);
        EXPECT_EQ(found.components[1].balanced, a != 0);
      }
    }
  }
}

// All components of x -> x + c are affine: W(a,b) is (-1)^(b.c) N if a = b, otherwise 0.
TEST(NarrowLinear, Translations) {
  for (const int n : {8, 10}) {
    const auto size = std::uint64_t{1} << n;
    const Linear found = linear(box_of(n, n, [](std::uint32_t x) { return x ^ 5; }));
    const auto each = static_cast<std::int64_t>(size);
    EXPECT_EQ(found.walsh,
              (Histogram{{-each, size / 2}, {0, (size - 1) * (size - 1)}, {each, size / 2 - 1}}));
    EXPECT_EQ(found.branch_number, 2);
    EXPECT_EQ(found.first_a, 1u);
    EXPECT_EQ(found.first_value, -each);
  }
}

// Transforms each component by itself in 32 bits.
void expect_equal_to_wide_transforms(const SBox& box) {
  const Linear found = linear(box);
  Histogram expected;
  std::uint64_t linearity = 0;
  std::vector<std::int32_t> row(box.size());
  for (std::uint32_t b = 1; b <= box.last_mask(); ++b) {
    for (std::uint32_t x = 0; x < row.size(); ++x) row[x] = parity(b & box[x]) != 0 ? -1 : 1;
    walsh(std::span(row), box.inputs());
    for (const std::int32_t w : row) ++expected[w];
    const auto largest = static_cast<std::uint32_t>(
        std::abs(*std::ranges::max_element(row, {}, [](std::int32_t w) { return std::abs(w); })));
    EXPECT_EQ(found.components[b].largest, largest) << b;
    EXPECT_EQ(found.components[b].balanced, row[0] == 0) << b;
    linearity = std::max<std::uint64_t>(linearity, largest);
  }
  EXPECT_EQ(found.walsh, expected);
  EXPECT_EQ(found.linearity, linearity);
}

// y_0 is affine, y_1 random, y_2 bent if n is even, y_3 constant; the components combine all of these.
TEST(NarrowLinear, MixedComponents) {
  std::mt19937 random(4);
  for (const int n : {6, 7, 15, 16}) {
    SCOPED_TRACE("n = " + std::to_string(n));
    expect_equal_to_wide_transforms(box_of(n, 4, [&](std::uint32_t x) {
      const std::uint32_t bent = parity(x & x >> 1 & 0x55555555);
      return parity(x & 0x2d) ^ 1u ^ (static_cast<std::uint32_t>(random()) & 2) ^ bent << 2 ^ 8;
    }));
  }
}

// Computes row by row in 32 bits.
void expect_equal_to_rows(const SBox& box) {
  Histogram ddt;
  std::uint32_t largest_zero = 0;
  int branch = 64;
  std::uint64_t one_bit_to_one = 0;
  const std::size_t columns = std::size_t{box.last_mask()} + 1;
  Autocorrelation r;
  r.propagation = box.inputs();
  r.indicators.resize(columns);
  r.structures.resize(columns);
  r.sums.assign(columns, std::uint64_t{box.size()} * box.size());
  std::vector<std::int32_t> row(columns);
  for (std::uint32_t a = 1; a < box.size(); ++a) {
    ddt_row(box, a, row);
    largest_zero = std::max(largest_zero, static_cast<std::uint32_t>(row[0]));
    for (std::uint32_t b = 0; b < columns; ++b) {
      ++ddt[row[b]];
      if (row[b] != 0) branch = std::min(branch, std::popcount(a) + std::popcount(b));
      if (row[b] != 0 && std::popcount(a) == 1 && std::popcount(b) == 1) ++one_bit_to_one;
    }
    autocorrelation_row(box, a, row);
    for (std::uint32_t b = 0; b < columns; ++b) {
      const auto magnitude = static_cast<std::uint32_t>(std::abs(row[b]));
      r.indicators[b] = std::max(r.indicators[b], magnitude);
      r.sums[b] += std::uint64_t{magnitude} * magnitude;
      r.structures[b] += magnitude == box.size() ? 1u : 0u;
      if (b != 0) r.indicator = std::max(r.indicator, magnitude);
      if (b != 0 && magnitude != 0) r.propagation = std::min(r.propagation, std::popcount(a) - 1);
    }
  }
  const Differential found = differential(box);
  EXPECT_EQ(found.ddt, ddt);
  EXPECT_EQ(found.largest_zero, largest_zero);
  EXPECT_EQ(found.branch_number, branch);
  EXPECT_EQ(found.one_bit_to_one, one_bit_to_one);
  EXPECT_EQ(autocorrelation(box), r);
}

TEST(NarrowRows, RandomBoxes) {
  std::mt19937 random(8);
  for (const auto& [n, m] : {std::pair{6, 6}, {7, 6}, {9, 8}, {6, 9}, {10, 10}}) {
    SCOPED_TRACE(testing::Message() << n << " x " << m);
    expect_equal_to_rows(test::random_box(n, m, random));
  }
}

// The halves of the DDT entries are 512; twice 256; 255 and 1; and in the last box more values than are
// compared one after the other.
TEST(NarrowRows, EntriesThatBytesDoNotHold) {
  expect_equal_to_rows(box_of(10, 10, [](std::uint32_t x) { return x ^ 3; }));
  expect_equal_to_rows(box_of(10, 8, [](std::uint32_t x) { return x & x >> 1 & 1; }));
  expect_equal_to_rows(box_of(9, 6, [](std::uint32_t x) { return x == 77 ? 5u : 0u; }));
  expect_equal_to_rows(box_of(10, 6, [](std::uint32_t x) { return (x * x >> 3) % 61; }));
}

// r(.,b) is the transform of W(.,b)^2, divided by N. y_0 is linear: r(a,1) = N or -N for all a, whose halves
// are the largest values that 16 bits hold.
TEST(NarrowRows, LinearComponentOf16Inputs) {
  constexpr int kInputs = ::fugu::test::kSanitized ? 13 : 16;
  constexpr std::int64_t kSize = std::int64_t{1} << kInputs;
  std::mt19937 random(9);
  const SBox box = box_of(kInputs, 6, [&](std::uint32_t x) {
    return parity(x & 0x5a3) ^ (static_cast<std::uint32_t>(random()) & 62);
  });
  const Autocorrelation found = autocorrelation(box);
  EXPECT_EQ(found.structures[1], static_cast<std::uint64_t>(kSize) - 1);
  std::vector<std::int64_t> row(kSize);
  for (std::uint32_t b = 1; b < 64; ++b) {
    for (std::uint32_t x = 0; x < row.size(); ++x) row[x] = parity(b & box[x]) != 0 ? -1 : 1;
    walsh(std::span(row), kInputs);
    for (std::int64_t& w : row) w *= w;
    walsh(std::span(row), kInputs);
    std::int64_t largest = 0;
    std::int64_t sum = 0;
    for (std::size_t a = 0; a < row.size(); ++a) {
      const std::int64_t r = row[a] / kSize;
      sum += r * r;
      if (a != 0) largest = std::max(largest, std::abs(r));
    }
    EXPECT_EQ(found.indicators[b], largest) << b;
    EXPECT_EQ(found.sums[b], static_cast<std::uint64_t>(sum)) << b;
  }
}

void expect_boomerang_of_rows(const SBox& box) {
  Histogram bct, fbct;
  std::vector<std::int32_t> row(box.size());
  for (std::uint32_t a = 1; a < box.size(); ++a) {
    bct_row(box, a, row);
    for (std::uint32_t b = 1; b < box.size(); ++b) ++bct[row[b]];
    fbct_row(box, a, row);
    for (std::uint32_t b = 1; b < box.size(); ++b) {
      if (a != b) ++fbct[row[b]];
    }
  }
  const Boomerang found = boomerang(box);
  EXPECT_EQ(found.bct, bct);
  EXPECT_EQ(found.fbct, fbct);
}

// EveryBox compares the rows with the definition.
TEST(Boomerang, PermutationsByRows) {
  std::mt19937 random(11);
  for (const int n : {6, 7, 8, ::fugu::test::kSanitized ? 9 : 10})
    expect_boomerang_of_rows(random_permutation(n, random));
  const SBox first = random_permutation(8, random);
  expect_boomerang_of_rows(
      box_of(9, 9, [&](std::uint32_t x) { return x < 256 ? first[x] : x ^ (x & 255) >> 1; }));
  expect_boomerang_of_rows(box_of(8, 8, [](std::uint32_t x) { return x == 3 ? 77 : x == 77 ? 3 : x; }));
}

// The kernels for 16-bit rows and byte rows, with every instruction set of this machine.

template <class T>
std::vector<T> random_values(int bits, T low, T high, std::mt19937& random) {
  std::uniform_int_distribution<int> value(low, high);
  std::vector<T> values(std::size_t{1} << bits);
  for (T& each : values) each = static_cast<T>(value(random));
  return values;
}

TEST(NarrowKernels, RowsEqualTheDefinitionModulo65536) {
  std::mt19937 random(1);
  for (int n = 0; n <= 10; ++n) {
    const auto f = random_values<std::int16_t>(n, -32768, 32767, random);
    std::vector<std::int16_t> expected;
    for (const std::int64_t w : test::walsh_definition<std::int64_t>(f))
      expected.push_back(static_cast<std::int16_t>(w));
    for (const Isa isa : isas()) {
      const detail::NarrowKernels kernels = detail::narrow_kernels(isa);
      std::vector<std::int16_t> row = f;
      kernels.row(row.data(), n);
      EXPECT_EQ(row, expected) << "n = " << n << ", isa " << static_cast<int>(isa);
      if (n < 3) continue;
      std::vector<std::int16_t> after_three;
      for (std::size_t at = 0; at < f.size(); at += 8) {
        const std::vector<std::int16_t> eight(&f[at], &f[at] + 8);
        for (const std::int64_t w : test::walsh_definition<std::int64_t>(eight))
          after_three.push_back(static_cast<std::int16_t>(w));
      }
      kernels.row_after_three(after_three.data(), n);
      EXPECT_EQ(after_three, expected) << "n = " << n << ", isa " << static_cast<int>(isa);
    }
  }
}

TEST(NarrowKernels, LongRowsEqualThoseOf32Bits) {
  std::mt19937 random(2);
  for (const int n : {13, 14, 16}) {
    const auto f = random_values<std::int16_t>(n, -1, 1, random);
    std::vector<std::int32_t> expected(f.begin(), f.end());
    walsh(std::span(expected), n);
    for (const Isa isa : isas()) {
      std::vector<std::int16_t> row = f;
      detail::narrow_kernels(isa).row(row.data(), n);
      EXPECT_TRUE(std::ranges::equal(row, expected)) << "n = " << n << ", isa " << static_cast<int>(isa);
    }
  }
}

TEST(NarrowKernels, LargestMagnitudeWhereverItLies) {
  std::mt19937 random(3);
  for (const Isa isa : isas()) {
    const detail::NarrowKernels kernels = detail::narrow_kernels(isa);
    for (std::size_t at = 0; at < 128; ++at) {
      for (const int value : {-32768, -32767, 32767, -101, 101}) {
        auto row = random_values<std::int16_t>(7, -100, 100, random);
        row[at] = static_cast<std::int16_t>(value);
        EXPECT_EQ(kernels.largest(row.data(), row.size()), std::abs(value)) << at;
      }
    }
  }
}

TEST(NarrowKernels, BytesAreSummedAndCounted) {
  std::mt19937 random(6);
  for (const int n : {6, 7, 12, 16}) {
    for (const unsigned most : {0u, 255u}) {
      auto row = random_values<std::uint8_t>(n, 0, 0, random);
      for (int i = 0; i < 200; ++i)
        row[random() % row.size()] = static_cast<std::uint8_t>(random() % (most + 1));
      for (const Isa isa : isas()) {
        const detail::NarrowKernels kernels = detail::narrow_kernels(isa);
        const detail::ByteSummary found = kernels.summarize_bytes(row.data(), row.size());
        EXPECT_EQ(found.sum, std::accumulate(row.begin(), row.end(), 0u));
        EXPECT_EQ(found.largest, *std::ranges::max_element(row));
        for (const std::uint8_t least : std::initializer_list<std::uint8_t>{0, 2, 250}) {
          std::uint32_t counts[detail::kEqualCounts];
          kernels.count_equal(row.data(), row.size(), least, counts);
          for (std::size_t i = 0; i < detail::kEqualCounts; ++i)
            EXPECT_EQ(counts[i], std::ranges::count(row, static_cast<std::uint8_t>(least + i)))
                << n << ' ' << i;
        }
      }
    }
  }
}

TEST(NarrowKernels, ColumnsTakeLargestAndSquares) {
  std::mt19937 random(7);
  constexpr std::size_t kRows = 15;
  for (const std::size_t columns : {std::size_t{64}, std::size_t{256}}) {
    std::vector<std::int16_t> rows(kRows * columns, -32768);  // odd columns have the largest sums
    for (std::size_t i = 0; i < rows.size(); i += 2)
      rows[i] = static_cast<std::int16_t>(2 * (random() % 32768));
    std::vector<int> largest(columns, 7);
    std::vector<std::uint64_t> sums(columns, std::uint64_t{1} << 40);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const int half = std::abs(rows[i] / 2);
      largest[i % columns] = std::max(largest[i % columns], half);
      sums[i % columns] += static_cast<std::uint64_t>(half) * static_cast<std::uint64_t>(half);
    }
    for (const Isa isa : isas()) {
      std::vector<std::int16_t> found(columns, 7);
      std::vector<std::uint64_t> found_sums(columns, std::uint64_t{1} << 40);
      EXPECT_EQ(detail::narrow_kernels(isa).take_columns(rows.data(), columns, kRows, found.data(),
                                                         found_sums.data()),
                16384);
      for (std::size_t c = 0; c < columns; ++c) {
        EXPECT_EQ(found[c], largest[c]) << c;
        EXPECT_EQ(found_sums[c % 4 * (columns / 4) + c / 4], sums[c]) << c;
      }
    }
  }
}

TEST(ByteRows, CountsSmallEntriesAndRefusesWhatWrapped) {
  constexpr std::uint8_t kLargest = detail::ByteRows::kLargest;
  const detail::ByteRows rows;
  for (const std::uint8_t largest : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{9}, kLargest}) {
    std::vector<std::uint8_t> row(256);
    std::vector<std::uint64_t> expected(kLargest + 1, 5);
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = static_cast<std::uint8_t>(i % (largest + std::size_t{1}));
      ++expected[row[i]];
    }
    const auto sum = std::accumulate(row.begin(), row.end(), std::uint64_t{0});
    std::vector<std::uint64_t> counts(kLargest + 1, 5);
    EXPECT_FALSE(rows.count(row, sum + 256, counts));  // one entry is too large by 256
    EXPECT_EQ(counts, std::vector<std::uint64_t>(kLargest + 1, 5));
    EXPECT_TRUE(rows.count(row, sum, counts));
    EXPECT_EQ(counts, expected);
    row[7] = kLargest + 1;
    EXPECT_FALSE(rows.count(row, std::accumulate(row.begin(), row.end(), std::uint64_t{0}), counts));
  }
}

}  // namespace
}  // namespace fugu::spectral
