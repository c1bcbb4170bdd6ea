#include "fugu/spectral/dyadic.hpp"

#include "fugu/error.hpp"
#include "fugu/spectral/limits.hpp"
#include "spectral/definition.hpp"
#include "spectral/usage_error.hpp"
#include "support/many_cases.hpp"
#include "support/testing.hpp"

namespace fugu::spectral {
namespace {

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
    for (std::size_t s = 0; s < result.size(); ++s) {
      ASSERT_LE(std::abs(result[s] - expected[s]), tolerance) << s << " of " << result.size();
    }
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
