// The kernels for 16-bit rows and byte rows, with every instruction set of this machine.
#include "fugu/spectral/detail/walsh_kernels.hpp"
#include "fugu/spectral/sbox/detail/rows.hpp"
#include "fugu/spectral/walsh.hpp"
#include "spectral/definition.hpp"
#include "support/many_cases.hpp"
#include "support/testing.hpp"

namespace fugu::spectral {
namespace {

std::vector<Isa> isas() {
  std::vector<Isa> all;
  for (int isa = 0; isa <= static_cast<int>(best_isa()); ++isa) all.push_back(static_cast<Isa>(isa));
  return all;
}

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
