// S-boxes whose tables are counted in 16 or fewer bits, where these just suffice and where they wrap.
#include "fugu/spectral/sbox/autocorrelation.hpp"
#include "fugu/spectral/sbox/boomerang.hpp"
#include "fugu/spectral/sbox/differential.hpp"
#include "fugu/spectral/sbox/linear.hpp"
#include "fugu/spectral/walsh.hpp"
#include "spectral/definition.hpp"
#include "spectral/made_boxes.hpp"
#include "support/many_cases.hpp"
#include "support/testing.hpp"

namespace fugu::spectral {
namespace {

std::uint32_t parity(std::uint32_t x) {
  return static_cast<std::uint32_t>(std::popcount(x)) % 2;
}

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

}  // namespace
}  // namespace fugu::spectral
