// The bound by which integer transforms that may overflow are refused.
#include "fugu/spectral/exactness.hpp"

#include <cfenv>

#include "fugu/spectral/dyadic.hpp"
#include "fugu/spectral/groups/group_functions.hpp"
#include "fugu/spectral/groups/vilenkin_chrestenson.hpp"
#include "fugu/spectral/sbox/algebra.hpp"
#include "fugu/spectral/sbox/autocorrelation.hpp"
#include "fugu/spectral/sbox/boomerang.hpp"
#include "fugu/spectral/sbox/differential.hpp"
#include "fugu/spectral/sbox/linear.hpp"
#include "fugu/threads/thread_pool.hpp"
#include "spectral/support.hpp"

namespace fugu::spectral {
namespace {

template <class T>
bool fits(const std::vector<T>& values, std::uint64_t row_size) {
  return sums_fit(std::span<const T>(values), row_size, {.threads = 1});
}

constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();

TEST(Exactness, SumsAreComparedWithTheLargestNumberOfTheType) {
  EXPECT_TRUE(fits<std::int32_t>({kMost - 1, -1}, 2));
  EXPECT_FALSE(fits<std::int32_t>({kMost - 1, -2}, 2));
  EXPECT_FALSE(fits<std::int32_t>({kLeast, 0}, 2));
  EXPECT_TRUE(fits<std::int64_t>({kMost, kLeast}, 2));
  EXPECT_FALSE(fits<std::int64_t>({std::numeric_limits<std::int64_t>::min(), 0}, 2));
}

TEST(Exactness, RowsAreJudgedOneByOne) {
  EXPECT_TRUE(fits<std::int32_t>({kMost, 0, 0, kMost}, 2));
  EXPECT_FALSE(fits<std::int32_t>({kMost, 0, 0, kMost}, 4));
  EXPECT_TRUE(fits<std::int32_t>({kLeast, kMost}, 1));
}

TEST(Exactness, RowsOfSeveralPartsAreSummedOverAll) {
  std::vector<std::int32_t> values(std::size_t{1} << 17, 1 << 14);  // 2^31 in total
  EXPECT_FALSE(fits(values, values.size()));
  values.back() = (1 << 14) - 1;
  EXPECT_TRUE(fits(values, values.size()));
  EXPECT_TRUE(fits(values, values.size() / 2));
}

template <class T>
class WalshIfExactOf : public testing::Test {};
using Integers = testing::Types<std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(WalshIfExactOf, Integers);

TYPED_TEST(WalshIfExactOf, TransformsWhatFits) {
  constexpr TypeParam kLargest = std::numeric_limits<TypeParam>::max();
  for (const int n : {4, 12, 18}) {
    auto f = test::random_values<TypeParam>(std::size_t{1} << n, 100, 8);
    f.back() = -(kLargest / 2);
    const auto expected = test::walsh_by_factors(f);
    EXPECT_TRUE(walsh_if_exact(std::span(f), n, {.threads = 2}));
    EXPECT_EQ(f, expected) << n;
  }
}

TYPED_TEST(WalshIfExactOf, LeavesWhatMayNotFitAsItWas) {
  constexpr TypeParam kLargest = std::numeric_limits<TypeParam>::max();
  for (const int n : {4, 12, 18}) {
    const std::size_t size = std::size_t{1} << n;
    for (const std::size_t at : {std::size_t{0}, size / 2 + 1, size - 1}) {
      auto f = test::random_values<TypeParam>(size, 100, 9);
      f[size / 4] = 1;
      f[at] = kLargest;
      const auto before = f;
      EXPECT_FALSE(walsh_if_exact(std::span(f), n, {.threads = 2}));
      EXPECT_EQ(f, before) << n;
    }
  }
}

TYPED_TEST(WalshIfExactOf, RowsAndOrderingsAreThoseOfWalsh) {
  const auto f = test::random_values<TypeParam>(std::size_t{1} << 12, 1000, 10);
  for (const int n : {3, 12}) {
    for (const Ordering ordering : {Ordering::natural, Ordering::dyadic, Ordering::sequency}) {
      auto expected = f, values = f;
      walsh(std::span(expected), n, {.ordering = ordering});
      EXPECT_TRUE(walsh_if_exact(std::span(values), n, {.ordering = ordering}));
      EXPECT_EQ(values, expected);
    }
  }
}

TEST(Exactness, FloatsAlwaysFit) {
  EXPECT_TRUE(fits<double>({1e300, 1e300}, 2));
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Exactness, TheRangeOfFloatsIsAPowerOfTwoAboveThem) {
  const auto range = [](const std::vector<float>& values) {
    return float_range<float>(values, {.threads = 1});
  };
  EXPECT_EQ(range({0.5f, -1.0f, 0.0f}).exponent, 1);
  EXPECT_EQ(range({-0.75f}).exponent, 0);
  EXPECT_EQ(range({std::numeric_limits<float>::max()}).exponent, 128);
  EXPECT_TRUE(range({std::numeric_limits<float>::max()}).finite);
  EXPECT_FALSE(range({1.0f, -kInfinity}).finite);
  EXPECT_FALSE(range({kNan}).finite);
  EXPECT_EQ(float_range<double>(std::vector<double>{1e308}, {.threads = 1}).exponent, 1024);
}

TEST(Exactness, SumsBelowHalfOfTheLargestFloatCannotExceedIt) {
  EXPECT_FALSE((FloatRange{true, 100}.may_exceed<float>(27)));
  EXPECT_TRUE((FloatRange{true, 100}.may_exceed<float>(28)));
  EXPECT_FALSE((FloatRange{true, 100}.may_exceed<double>(28)));
  EXPECT_FALSE((FloatRange{false, 100}.may_exceed<float>(28)));
}

template <class T>
std::string exceeds() {
  return sizeof(T) == 4 ? "the result exceeds float32: give float64 or smaller values"
                        : "the result exceeds float64: give smaller values";
}

// One large value at each end, so that with several threads not all of them see one.
template <class T>
std::vector<T> with_ends(std::size_t size, T end) {
  std::vector<T> values(size);
  values.front() = values.back() = end;
  return values;
}

template <class T>
class FloatOverflow : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(FloatOverflow, Floats);

template <class T, class Value, class Call>
void expect_refused(std::vector<Value> values, Call call) {
  EXPECT_EQ(usage_error([&] { call(std::span(values)); }), exceeds<T>()) << values.size();
}

TYPED_TEST(FloatOverflow, IsRefusedByEveryTransform) {
  constexpr TypeParam kLargest = std::numeric_limits<TypeParam>::max();
  for (const int n : {1, 2, 9, 15, 20}) {
    const auto large = with_ends(std::size_t{1} << n, kLargest);
    for (const unsigned threads : {1u, 3u}) {
      threads::ThreadPool pool(threads);
      const WalshOptions options{.pool = &pool};
      auto g = large;
      expect_refused<TypeParam>(large, [&](auto f) { walsh(f, n, options); });
      expect_refused<TypeParam>(large, [&](auto f) { walsh_if_exact(f, n, options); });
      expect_refused<TypeParam>(large, [&](auto f) { inverse_walsh(f, n, options); });
      expect_refused<TypeParam>(large, [&](auto f) { dyadic_autocorrelate(f, options); });
      expect_refused<TypeParam>(large, [&](auto f) { dyadic_convolve(f, std::span(g), options); });
    }
  }
}

TYPED_TEST(FloatOverflow, IsRefusedInTheLastRow) {
  constexpr int kBits = 15;
  std::vector<TypeParam> rows(std::size_t{64} << kBits, 1);
  std::ranges::fill(std::span(rows).last(std::size_t{1} << kBits), std::numeric_limits<TypeParam>::max());
  threads::ThreadPool pool(3);
  for (int i = 0; i < 10; ++i)  // on one thread or another
    expect_refused<TypeParam>(rows, [&](auto f) { walsh(f, kBits, {.pool = &pool}); });
}

TYPED_TEST(FloatOverflow, IsRefusedForGroups) {
  constexpr TypeParam kLargest = std::numeric_limits<TypeParam>::max();
  for (const int n : {1, 11}) {
    const CharacterGroup group(std::vector<std::uint32_t>(static_cast<std::size_t>(n), 3));
    const auto large = with_ends<std::complex<TypeParam>>(group.order(), {kLargest, kLargest});
    threads::ThreadPool pool(3);
    const GroupOptions options{.pool = &pool};
    expect_refused<TypeParam>(large, [&](auto f) { vilenkin_chrestenson(group, f, options); });
    expect_refused<TypeParam>(large, [&](auto f) { inverse_vilenkin_chrestenson(group, f, options); });
    // Only the product overflows.
    expect_refused<TypeParam>(with_ends<std::complex<TypeParam>>(group.order(), std::sqrt(kLargest)),
                              [&](auto f) { group_autocorrelate(group, f, options); });
  }
}

TYPED_TEST(FloatOverflow, IsOnlyThatOfFiniteValues) {
  constexpr TypeParam kLargest = std::numeric_limits<TypeParam>::max();
  std::vector<TypeParam> f{kLargest, 0, 0, 0};
  walsh<TypeParam>(f, 2);
  EXPECT_EQ(f, std::vector<TypeParam>(4, kLargest));
  f = {static_cast<TypeParam>(kInfinity), 1, static_cast<TypeParam>(kNan), 1};
  EXPECT_TRUE(walsh_if_exact<TypeParam>(f, 2));
  for (const TypeParam x : f) EXPECT_FALSE(std::isfinite(x));
}

TEST(FloatOverflow, LeavesTheCallersFlagAsItWas) {
  std::feraiseexcept(FE_OVERFLOW);
  std::vector<float> f{1, 2, 3, 4};
  walsh<float>(f, 2);
  EXPECT_NE(std::fetestexcept(FE_OVERFLOW), 0);
  std::feclearexcept(FE_OVERFLOW);
  walsh<float>(f, 2);
  EXPECT_EQ(std::fetestexcept(FE_OVERFLOW), 0);
}

// Theorems about every box, tested with ten thousand random ones of every small shape.

constexpr int kBoxes = ::fugu::test::cases(10'000);
const SBoxOptions kAlone{.threads = 1};

using Row = std::vector<std::int32_t>;
using Random = std::mt19937;

// An invertible affine map. Its matrix is in echelon form, shuffled by adding rows to others.
struct AffineMap {
  std::vector<std::uint32_t> columns;
  std::uint32_t constant;

  AffineMap(int bits, Random& random)
      : columns(static_cast<std::size_t>(bits)),
        constant(static_cast<std::uint32_t>(random() >> (32 - bits))) {
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = std::uint32_t{1} << i;
    for (std::size_t step = 0; step < 4 * columns.size(); ++step) {
      const std::size_t i = random() % columns.size(), j = random() % columns.size();
      if (i != j) columns[i] ^= columns[j];
    }
  }
  std::uint32_t operator()(std::uint32_t x) const {
    std::uint32_t y = constant;
    for (std::size_t i = 0; i < columns.size(); ++i) y ^= (x >> i & 1) != 0 ? columns[i] : 0;
    return y;
  }
};

template <class Value>
SBox changed(const SBox& box, Value value) {
  return test::box_of(box.inputs(), box.outputs(), value);
}

template <class Fill>
std::vector<Row> table(const SBox& box, Fill fill) {
  std::vector<Row> rows(box.size(), Row(std::size_t{box.last_mask()} + 1));
  for (std::uint32_t a = 0; a < rows.size(); ++a) fill(box, a, rows[a]);
  return rows;
}

Histogram magnitudes(const Histogram& walsh) {
  Histogram result;
  for (const auto& [value, count] : walsh) result[std::abs(value)] += count;
  return result;
}

// Returns the numbers of components of each degree from `least` on.
Histogram degrees(const SBox& box, int least) {
  const std::vector<std::int8_t> all = component_degrees(box, kAlone);
  Histogram result;
  for (std::size_t b = 1; b < all.size(); ++b) {
    if (all[b] >= least) ++result[all[b]];
  }
  return result;
}

void expect_row_identities(const SBox& box) {
  const auto size = static_cast<std::int32_t>(box.size());
  const std::vector<Row> ddt = table(box, ddt_row), lat = table(box, lat_row),
                         act = table(box, autocorrelation_row);
  const std::vector<Row> bct = table(box, bct_row);
  for (std::size_t a = 0; a < ddt.size(); ++a) {
    ASSERT_EQ(std::accumulate(ddt[a].begin(), ddt[a].end(), 0), size);
    Row transformed = ddt[a];
    walsh(std::span(transformed), box.outputs());
    ASSERT_EQ(transformed, act[a]);
    for (std::size_t b = 0; b < ddt[a].size(); ++b) ASSERT_GE(bct[a][b], ddt[a][b]);
  }
  const Linear found = linear(box, kAlone);
  for (std::size_t b = 0; b < lat[0].size(); ++b) {
    std::int32_t squares = 0;
    for (const Row& row : lat) squares += row[b] * row[b];
    ASSERT_EQ(squares, size * size);
    if (b == 0) continue;
    ASSERT_EQ(found.components[b].balanced, lat[0][b] == 0);
  }
}

// The DDT is the two-dimensional transform of the squared LAT, divided by 2^(n + m).
void expect_ddt_from_lat(const SBox& box) {
  const std::size_t columns = std::size_t{box.last_mask()} + 1;
  std::vector<std::int64_t> squares;
  for (const Row& row : table(box, lat_row)) {
    for (const std::int32_t w : row) squares.push_back(std::int64_t{w} * w);
  }
  walsh(std::span(squares), box.inputs() + box.outputs());
  const std::vector<Row> ddt = table(box, ddt_row);
  for (std::size_t i = 0; i < squares.size(); ++i)
    ASSERT_EQ(squares[i], std::int64_t{ddt[i / columns][i % columns]} << (box.inputs() + box.outputs()));
}

void expect_same_up_to_equivalence(const SBox& a, const SBox& b) {
  ASSERT_EQ(differential(a, kAlone).ddt, differential(b, kAlone).ddt);
  ASSERT_EQ(magnitudes(linear(a, kAlone).walsh), magnitudes(linear(b, kAlone).walsh));
}

void expect_equivalence_invariants(const SBox& box, Random& random) {
  const AffineMap before(box.inputs(), random), after(box.outputs(), random);
  const SBox affine = changed(box, [&](std::uint32_t x) { return after(box[before(x)]); });
  expect_same_up_to_equivalence(box, affine);
  ASSERT_EQ(boomerang(box, kAlone).bct, boomerang(affine, kAlone).bct);
  ASSERT_EQ(degrees(box, 1), degrees(affine, 1));
  const AffineMap any(20, random);  // restricted to the outputs, a linear map that need not be invertible
  const SBox sum = changed(box, [&](std::uint32_t x) { return box[x] ^ (any(x) & box.last_mask()); });
  expect_same_up_to_equivalence(box, sum);
  ASSERT_EQ(degrees(box, 2), degrees(sum, 2));
}

TEST(Identities, OfRandomBoxesOfEveryShape) {
  Random random(1);
  for (int i = 0; i < kBoxes && !HasFatalFailure(); ++i) {
    const int inputs = 1 + static_cast<int>(random() % 5), outputs = 1 + static_cast<int>(random() % 6);
    const SBox box = random_box(inputs, outputs, random);
    SCOPED_TRACE("box " + std::to_string(i));
    expect_row_identities(box);
    expect_ddt_from_lat(box);
    expect_equivalence_invariants(box, random);
  }
}

// The graphs of a permutation and its inverse differ only in the order of coordinates.
TEST(Identities, OfInversePermutations) {
  Random random(2);
  for (int i = 0; i < kBoxes && !HasFatalFailure(); ++i) {
    const SBox box = random_permutation(1 + static_cast<int>(random() % 5), random);
    SCOPED_TRACE("permutation " + std::to_string(i));
    expect_same_up_to_equivalence(box, inverse(box));
    ASSERT_EQ(boomerang(box, kAlone).bct, boomerang(inverse(box), kAlone).bct);
  }
}

}  // namespace
}  // namespace fugu::spectral
