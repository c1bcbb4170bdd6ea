// S-boxes whose tables are counted in 16 bits and less, where these are just wide enough and where they wrap.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <random>

#include "fugu/spectral/detail/walsh_kernels.hpp"
#include "fugu/spectral/sbox/linear.hpp"
#include "fugu/spectral/walsh.hpp"
#include "spectral/definition.hpp"

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

template <class Value>
SBox box_of(int inputs, int outputs, Value value) {
  std::vector<std::uint32_t> values(std::size_t{1} << inputs);
  for (std::uint32_t x = 0; x < values.size(); ++x) values[x] = value(x);
  return {inputs, outputs, std::move(values)};
}

std::uint32_t parity(std::uint32_t x) {
  return static_cast<std::uint32_t>(std::popcount(x)) % 2;
}

// (-1)^(a.x + c) has the one value (-1)^c N, at a.
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

// All components of x -> x + c are affine: W(a,b) = (-1)^(b.c) N where a = b, otherwise 0.
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

Histogram histogram_of(std::span<const std::int32_t> spectrum) {
  Histogram histogram;
  for (const std::int32_t w : spectrum) ++histogram[w];
  return histogram;
}

// The 32-bit transform of each component by itself.
void expect_equal_to_wide_transforms(const SBox& box) {
  const Linear found = linear(box);
  Histogram expected;
  std::uint64_t linearity = 0;
  std::vector<std::int32_t> row(box.size());
  for (std::uint32_t b = 1; b <= box.last_mask(); ++b) {
    for (std::uint32_t x = 0; x < row.size(); ++x) row[x] = parity(b & box[x]) != 0 ? -1 : 1;
    walsh(std::span(row), box.inputs());
    for (const auto& [value, count] : histogram_of(row)) expected[value] += count;
    const auto largest = static_cast<std::uint32_t>(
        std::abs(*std::ranges::max_element(row, {}, [](std::int32_t w) { return std::abs(w); })));
    EXPECT_EQ(found.components[b].largest, largest) << b;
    EXPECT_EQ(found.components[b].balanced, row[0] == 0) << b;
    linearity = std::max<std::uint64_t>(linearity, largest);
  }
  EXPECT_EQ(found.walsh, expected);
  EXPECT_EQ(found.linearity, linearity);
}

// y_0 is affine, y_1 random, y_2 bent if n is even, y_3 is constant: all of these meet in the components.
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

}  // namespace
}  // namespace fugu::spectral
