#include "fugu/spectral/groups/characters.hpp"

#include <numbers>

#include "fugu/spectral/dyadic.hpp"
#include "fugu/spectral/limits.hpp"
#include "spectral/support.hpp"

namespace fugu::spectral {
namespace {

using Complex = std::complex<double>;

template <class T>
std::vector<T> table_of(const CharacterGroup& group, RowOrder order = RowOrder::kronecker) {
  std::vector<T> table(static_cast<std::size_t>(group.order() * group.order()));
  character_table(group, whole_table(group), std::span(table), order, 2);
  return table;
}

// Table I of the paper.
TEST(Characters, CyclicTablesAreThePrintedOnes) {
  const Complex i{0, 1}, e1{-0.5, std::sqrt(3.0) / 2}, e2 = std::conj(e1);
  EXPECT_EQ(table_of<Complex>(CharacterGroup::parse("2")), (std::vector<Complex>{1, 1, 1, -1}));
  EXPECT_EQ(table_of<Complex>(CharacterGroup::parse("4")),
            (std::vector<Complex>{1, 1, 1, 1, 1, i, -1, -i, 1, -1, 1, -1, 1, -i, -1, i}));
  expect_near(table_of<Complex>(CharacterGroup::parse("3")),
              std::vector<Complex>{1, 1, 1, 1, e1, e2, 1, e2, e1}, 1e-15);
}

std::vector<Complex> kronecker(const std::vector<Complex>& a, std::size_t n, const std::vector<Complex>& b,
                               std::size_t m) {
  std::vector<Complex> c(n * m * n * m);
  for (std::size_t r = 0; r < n * m; ++r) {
    for (std::size_t s = 0; s < n * m; ++s) c[r * n * m + s] = a[r / m * n + s / m] * b[r % m * m + s % m];
  }
  return c;
}

// Computes the definition without digits or exponents: C_q by the exponential function, then Kronecker
// products.
std::vector<Complex> definition(const std::vector<std::uint32_t>& orders) {
  std::vector<Complex> table{1};
  std::size_t size = 1;
  for (const std::uint32_t q : orders) {
    std::vector<Complex> cyclic(q * q);
    for (std::uint32_t w = 0; w < q; ++w) {
      for (std::uint32_t z = 0; z < q; ++z)
        cyclic[w * q + z] = std::polar(1.0, 2 * std::numbers::pi * w * z / q);
    }
    table = kronecker(table, size, cyclic, q);
    size *= q;
  }
  return table;
}

TEST(Characters, EqualTheKroneckerProducts) {
  const std::vector<std::vector<std::uint32_t>> groups{
      {1}, {5}, {3, 3}, {2, 2, 2}, {3, 3, 3, 3, 3}, {2, 3, 4}, {4, 1, 6, 2}, {7, 2, 9}, {12, 18}, {2, 100}};
  for (const auto& orders : groups) {
    const CharacterGroup group(orders);
    expect_near(table_of<Complex>(group), definition(orders), 1e-12);
    expect_near(table_of<std::complex<float>>(group), definition(orders), 1e-7);
    std::vector<Complex> powers;
    for (const std::uint16_t exponent : table_of<std::uint16_t>(group))
      powers.push_back(
          std::polar(1.0, 2 * std::numbers::pi * exponent / static_cast<double>(group.modulus())));
    expect_near(powers, definition(orders), 1e-12);
  }
}

TEST(Characters, EquationOneReversesTheDigitsOfTheRow) {
  // In C_3^3, equation (1) combines omega_{m-1-s} with z_s, the most significant digits first.
  const CharacterGroup group = CharacterGroup::parse("3^3");
  const auto exponents = table_of<std::uint8_t>(group, RowOrder::equation1);
  for (unsigned w = 0; w < 27; ++w) {
    for (unsigned z = 0; z < 27; ++z) {
      const unsigned wd[] = {w / 9, w / 3 % 3, w % 3}, zd[] = {z / 9, z / 3 % 3, z % 3};
      unsigned sum = 0;
      for (unsigned s = 0; s < 3; ++s) sum += wd[2 - s] * zd[s];
      ASSERT_EQ(exponents[w * 27 + z], sum % 3);
    }
  }
}

TEST(Characters, EqualCharactersAreBitIdenticalAndConjugatesExact) {
  const CharacterGroup group = CharacterGroup::parse("2x3x4x5");
  const auto exponents = table_of<std::uint8_t>(group);
  const auto values = table_of<Complex>(group);
  std::vector<Complex> seen(group.modulus());
  std::vector<bool> known(group.modulus());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!known[exponents[i]]) seen[exponents[i]] = values[i];
    known[exponents[i]] = true;
    ASSERT_EQ(std::memcmp(&seen[exponents[i]], &values[i], sizeof(Complex)), 0);
  }
  for (std::size_t e = 1; e < seen.size(); ++e) EXPECT_EQ(seen[e], std::conj(seen[seen.size() - e]));
}

// The square root of 3/4 is 0.86602540378443864676...; with the digits of a double's pi, the next double
// results.
TEST(Characters, RootsAreTheNearestDoubles) {
  EXPECT_EQ(roots_of_unity<double>(6)[1], Complex(0.5, 0.86602540378443864676));
}

TEST(Characters, TilesAreCutFromTheTable) {
  const CharacterGroup group = CharacterGroup::parse("3^7");
  const auto whole = table_of<std::uint8_t>(group);
  for (const TableTile tile :
       {TableTile{0, 1, 0, 2187}, TableTile{17, 40, 1020, 30}, TableTile{2186, 1, 2186, 1},
        TableTile{5, 0, 0, 10}, TableTile{100, 3, 728, 1459}}) {
    const auto columns = static_cast<std::size_t>(tile.columns);
    const auto first = static_cast<std::size_t>(tile.first_row * 2187 + tile.first_column);
    std::vector<std::uint8_t> out(static_cast<std::size_t>(tile.rows) * columns);
    character_table(group, tile, std::span(out));
    for (std::size_t r = 0; r < tile.rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) ASSERT_EQ(out[r * columns + c], whole[first + r * 2187 + c]);
    }
  }
}

// A table of 3^30 rows cannot be stored, but a corner of it can.
TEST(Characters, TilesOfEnormousTables) {
  const CharacterGroup group = CharacterGroup::parse("3^30");
  const std::uint64_t last = group.order() - 1;  // all digits are 2
  std::vector<std::uint8_t> out(1);
  character_table(group, {last, 1, last, 1}, std::span(out));
  EXPECT_EQ(out[0], 30 * 4 % 3);
  character_table(group, {last, 1, last / 2, 1}, std::span(out));  // all digits are 1
  EXPECT_EQ(out[0], 30 * 2 % 3);
}

TEST(Characters, ErrorsSayWhatIsWrong) {
  for (const std::string name : {"3^", "3y4", "0x4"})
    EXPECT_EQ(usage_error([&] { CharacterGroup::parse(name); }),
              "'" + name + "' is not a group; write one like 3^8, 2x3x4 or 2^3x5");
  EXPECT_EQ(usage_error([] { CharacterGroup::parse("2^99"); }), "a group has 1 to 32 factors");
  EXPECT_EQ(usage_error([] { CharacterGroup::parse("65536^4"); }),
            "the group is too large: its order must stay below 2^63 and each factor at most 65536");
  EXPECT_EQ(usage_error([] { CharacterGroup::parse("257x256"); }),
            "the least common multiple of the factors is above 65536");
  std::vector<std::uint8_t> out(257);
  const auto error_of_part = [&](const TableTile& part) {
    return usage_error([&] { character_table(CharacterGroup::parse("257"), part, std::span(out)); });
  };
  EXPECT_EQ(error_of_part({0, 1, 0, 257}), "exponents modulo more than 256 need 16 bits");
  EXPECT_EQ(error_of_part({257, 1, 0, 257}), "the requested part is not inside the table of 257 by 257");
  EXPECT_EQ(error_of_part({0, 2, 0, 257}), "the part has 514 values, the output room for 257");
}

template <class T>
std::vector<T> convolved(std::vector<T> f, std::vector<T> g) {
  dyadic_convolve(std::span(f), std::span(g), {.threads = 2});
  return f;
}

// Integers must be equal. Floats may differ by the part of the largest value that the rounding of three
// transforms of n stages explains.
template <class T>
void expect_close(const std::vector<T>& result, const std::vector<T>& expected) {
  if constexpr (std::is_integral_v<T>) {
    EXPECT_EQ(result, expected);
  } else {
    const T largest = std::abs(*std::ranges::max_element(expected, {}, [](T x) { return std::abs(x); }));
    const T tolerance = (largest + 1) * 300 * std::numeric_limits<T>::epsilon();
    ASSERT_EQ(result.size(), expected.size());
    for (std::size_t s = 0; s < result.size(); ++s)
      ASSERT_LE(std::abs(result[s] - expected[s]), tolerance) << s << " of " << result.size();
  }
}

template <class T>
class DyadicOf : public testing::Test {};
using Types = testing::Types<std::int64_t, float, double>;
TYPED_TEST_SUITE(DyadicOf, Types);

TYPED_TEST(DyadicOf, EqualsTheDefinition) {
  for (int n = 0; n <= (::fugu::test::kSanitized ? 10 : 12); ++n) {
    const std::size_t size = std::size_t{1} << n;
    const auto f = random_values<TypeParam>(size, n < 9 ? 3 : 1, 1);
    const auto g = random_values<TypeParam>(size, n < 9 ? 3 : 1, 2);
    expect_close(convolved(f, g), convolution_definition<TypeParam>(f, g));
    auto self = f;
    dyadic_autocorrelate(std::span(self));
    expect_close(self, convolution_definition<TypeParam>(f, f));
  }
}

// Convolution with a delta at `at` is a shift by `at`, so the result is known at every size. With rows of 2^6
// or 2^7 values, one or two other passes come before and after the fused pass.
TYPED_TEST(DyadicOf, AnyNumberOfPassesGivesTheSame) {
  for (const int n : {8, 15, 17}) {
    auto f = random_values<TypeParam>(std::size_t{1} << n, 1, 1);
    auto g = random_values<TypeParam>(f.size(), 1, 2);
    auto expected = f;
    auto other = g;
    dyadic_convolve(std::span(expected), std::span(other));
    const WalshLimits limits{.cache_bits = 6};
    dyadic_convolve(std::span(f), std::span(g), {.threads = 2, .limits = &limits});
    EXPECT_EQ(f, expected) << n;
  }
}

TYPED_TEST(DyadicOf, ADeltaShifts) {
  for (const int n : {13, 16, 17, 20, 21}) {
    if (::fugu::test::kSanitized && n > 20) continue;
    const std::size_t size = std::size_t{1} << n;
    const std::size_t at = size / 7 * 3;
    const auto f = random_values<TypeParam>(size, 1, 5);
    std::vector<TypeParam> delta(size), shifted(size);
    delta[at] = 1;
    for (std::size_t s = 0; s < size; ++s) shifted[s] = f[s ^ at];
    expect_close(convolved(f, delta), shifted);
  }
}

TEST(Dyadic, ExampleThreeOfThePaper) {
  EXPECT_THAT(convolved<std::int64_t>({1, 0, 1, 1}, {0, 1, 0, 1}), testing::ElementsAre(1, 2, 1, 2));
}

TEST(Dyadic, LargeIntegersTakeTheWidePathAndStayExact) {
  for (const int magnitude : {1 << 20, 1 << 26, 1 << 29}) {
    const auto f = random_values<std::int64_t>(1 << 4, magnitude, 7);
    const auto g = random_values<std::int64_t>(1 << 4, magnitude, 8);
    EXPECT_EQ(convolved(f, g), convolution_definition<std::int64_t>(f, g)) << magnitude;
  }
  std::vector<std::int64_t> f(1 << 8, (std::int64_t{1} << 27) - 1);
  const std::vector<std::int64_t> g(1 << 8, -(std::int64_t{1} << 27));
  EXPECT_EQ(convolution_width(f, g), ConvolutionWidth::bits128);
  EXPECT_EQ(convolved(f, g), convolution_definition<std::int64_t>(f, g));
}

TEST(Dyadic, TheWidthIsChosenAtTheBound) {
  // The bound B 2^n, with B = sum |f| max |g|, is compared with 2^63; here n = 1.
  const std::vector<std::int64_t> one{1, 0};
  const auto width = [&](std::int64_t x) { return convolution_width(std::vector<std::int64_t>{x, 0}, one); };
  EXPECT_EQ(width((std::int64_t{1} << 62) - 1), ConvolutionWidth::bits64);
  EXPECT_EQ(width(std::int64_t{1} << 62), ConvolutionWidth::bits128);
  EXPECT_EQ(width(INT64_MAX), ConvolutionWidth::bits128);
  EXPECT_THROW(width(INT64_MIN), Error);
  EXPECT_THAT(convolved<std::int64_t>({INT64_MAX, 0}, {0, 1}), testing::ElementsAre(0, INT64_MAX));
}

TEST(Dyadic, OverflowIsReportedBeforeAnythingChanges) {
  std::vector<std::int64_t> f(4, std::int64_t{1} << 31);
  auto g = f;
  EXPECT_THAT(usage_error([&] { dyadic_convolve(std::span(f), std::span(g)); }),
              testing::StartsWith("the convolution may exceed 64-bit integers"));
  EXPECT_EQ(f, g);
  std::vector<std::int64_t> three(3), two(2);
  EXPECT_THROW(dyadic_convolve(std::span(three), std::span(three)), Error);
  EXPECT_THROW(dyadic_convolve(std::span(f), std::span(two)), Error);
}

}  // namespace
}  // namespace fugu::spectral
