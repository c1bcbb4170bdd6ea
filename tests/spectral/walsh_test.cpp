#include "fugu/spectral/walsh.hpp"

#include "fugu/core/half.hpp"
#include "fugu/spectral/detail/walsh_passes.hpp"
#include "fugu/spectral/limits.hpp"
#include "fugu/spectral/papers/papers.hpp"
#include "fugu/threads/thread_pool.hpp"
#include "spectral/support.hpp"

namespace fugu::spectral {
namespace {

template <class T>
std::vector<T> transformed(std::vector<T> f, const WalshOptions& options = {}) {
  walsh(std::span<T>(f), log2_exact(f.size()), options);
  return f;
}

template <class T>
class WalshOf : public testing::Test {};
TYPED_TEST_SUITE(WalshOf, Types);

TYPED_TEST(WalshOf, EqualsTheDefinitionOnEveryIsa) {
  for (int n = 0; n <= 12; ++n) {
    const auto f = random_values<TypeParam>(std::size_t{1} << n, 1000, static_cast<std::uint64_t>(n));
    const auto expected = walsh_definition<TypeParam>(f);
    for (const Isa isa : isas()) {
      const WalshLimits limits{isa};
      EXPECT_EQ(transformed(f, {.limits = &limits}), expected)
          << "n = " << n << ", isa " << static_cast<int>(isa);
    }
  }
}

TYPED_TEST(WalshOf, LargeSizesEqualTheTensorFactorsOfTheDefinition) {
  threads::ThreadPool pool(3);
  for (const int n : {13, ::fugu::test::kSanitized ? 14 : 19}) {
    const auto f = random_values<TypeParam>(std::size_t{1} << n, 30, static_cast<std::uint64_t>(n));
    const auto expected = walsh_by_factors(f);
    for (const Isa isa : isas()) {
      const WalshLimits limits{isa};
      EXPECT_EQ(transformed(f, {.pool = &pool, .limits = &limits}), expected) << "n = " << n;
    }
  }
}

// Long passes store aligned vectors wherever the row begins.
TYPED_TEST(WalshOf, RowsMayBeginAtAnyValue) {
  constexpr int kLog2Size = 15;
  constexpr std::size_t kSize = std::size_t{1} << kLog2Size;
  const auto f = random_values<TypeParam>(kSize, 100, 11);
  const auto expected = walsh_by_factors(f);
  std::vector<TypeParam> memory(kSize + 64 / sizeof(TypeParam));
  for (std::size_t first = 0; first < memory.size() - kSize; ++first) {
    for (const Isa isa : isas()) {
      const std::span row = std::span(memory).subspan(first, kSize);
      std::ranges::fill(memory, TypeParam{7});
      std::ranges::copy(f, row.begin());
      const WalshLimits limits{isa};
      walsh(row, kLog2Size, {.limits = &limits});
      EXPECT_TRUE(std::ranges::equal(row, expected)) << "begins at " << first;
      EXPECT_EQ(std::ranges::count(memory, TypeParam{7}) - std::ranges::count(row, TypeParam{7}),
                static_cast<std::ptrdiff_t>(memory.size() - kSize));
    }
  }
}

TYPED_TEST(WalshOf, InverseUndoesForwardInEveryOrdering) {
  for (const int n : {0, 1, 2, 5, 9, 10, 13, 19, 20}) {
    const auto f = random_values<TypeParam>(std::size_t{1} << n, 7, static_cast<std::uint64_t>(n));
    for (const Ordering ordering : {Ordering::natural, Ordering::dyadic, Ordering::sequency}) {
      auto g = transformed(f, {.ordering = ordering});
      inverse_walsh(std::span(g), n, {.ordering = ordering});
      EXPECT_EQ(g, f) << "n = " << n;
    }
  }
}

// With rows of 2^6 or 2^7 values there are one, two and three column passes, of few stages and of as many as
// a pass can have.
TYPED_TEST(WalshOf, EveryNumberOfColumnPassesEqualsTheTensorFactorsOfTheDefinition) {
  threads::ThreadPool pool(3);
  for (const int n : {7, 8, 14, 16, 18}) {
    const auto f = random_values<TypeParam>(std::size_t{1} << n, 15, static_cast<std::uint64_t>(n));
    const auto expected = walsh_by_factors(f);
    for (const Isa isa : isas()) {
      const WalshLimits limits{isa, 6};
      const WalshOptions narrow{.pool = &pool, .limits = &limits};
      auto g = transformed(f, narrow);
      EXPECT_EQ(g, expected) << "n = " << n;
      inverse_walsh(std::span(g), n, narrow);
      EXPECT_EQ(g, f) << "n = " << n;
    }
  }
}

TEST(Walsh, LongRowsArePassedAsOneWhereEveryThreadHasSeveral) {
  const auto bits = [](int n, unsigned threads) {
    return detail::shared_row_bits<std::int32_t>(n, 0, std::size_t{1} << n, threads, 4);
  };
  EXPECT_EQ(bits(21, 1), 21);
  EXPECT_EQ(bits(24, 1), 21);
  EXPECT_EQ(bits(26, 1), 22);  // 21 would take two column passes
  EXPECT_EQ(bits(24, 2), 21);
  EXPECT_EQ(bits(24, 16), 18);
  EXPECT_EQ(bits(30, 16), 22);
  EXPECT_EQ(detail::shared_row_bits<double>(24, 0, std::size_t{1} << 24, 1, 4), 20);
}

TEST(Walsh, APassBeginsWhenTheOneBeforeHasEnded) {
  constexpr std::size_t kCount = 200;
  threads::ThreadPool pool(4);
  const detail::Workers workers(1, &pool);
  std::atomic<std::size_t> ended = 0, early = 0;
  const auto pass = [&](std::size_t before) {
    return detail::Pass{kCount, 3, [&, before](std::size_t first, std::size_t last) {
                          if (ended < before) ++early;
                          std::this_thread::sleep_for(std::chrono::microseconds(first % 7 * 20));
                          ended += last - first;
                        }};
  };
  workers.run({pass(0), pass(kCount), pass(2 * kCount)});
  EXPECT_EQ(ended, 3 * kCount);
  EXPECT_EQ(early, 0u);

  std::atomic<int> after = 0;
  const detail::Pass fails{kCount, 1, [](std::size_t first, std::size_t) {
                             if (first == 5) throw Error(Errc::usage, "the sixth");
                           }};
  const detail::Pass next{kCount, 1, [&](std::size_t, std::size_t) { ++after; }};
  EXPECT_EQ(test::usage_error([&] { workers.run({fails, next}); }), "the sixth");
  EXPECT_EQ(after, 0);
}

// Modulo 2^32, sums of 2^32 values and more determine nothing about the function. The call is refused
// whatever the values.
TEST(Walsh, InversesThatCannotFitAreRefused) {
  EXPECT_EQ(usage_error([] { inverse_walsh(std::span<std::int32_t>(), 32); }),
            "the inverse of 2^32 values does not fit 32-bit integers");
  EXPECT_EQ(usage_error([] { inverse_walsh(std::span<std::int32_t>(), 40); }),
            "the inverse of 2^40 values does not fit 32-bit integers");
  inverse_walsh(std::span<std::int32_t>(), 31);
  inverse_walsh(std::span<std::int64_t>(), 40);
  inverse_walsh(std::span<float>(), 40);
}

// Compares some coefficients with the definition. The inverse of 2^n times three deltas is the sum of three
// rows of the matrix.
TEST(Walsh, TheLargestSizesHaveDefinedCoefficientsAndInverses) {
  for (const int n : ::fugu::test::kSanitized ? std::array{19, 20} : std::array{22, 24}) {
    const std::size_t size = std::size_t{1} << n;
    const auto f = random_values<std::int32_t>(size, 3, 5);
    const auto g = transformed(f);
    for (const std::size_t a : {std::size_t{0}, size / 3, size / 7 * 5, size - 1})
      EXPECT_EQ(g[a], test::walsh_coefficient<std::int64_t>(std::span(f), a)) << n;
    std::vector<std::int32_t> spectrum(size);
    spectrum[5] = 3 << n;
    spectrum[size / 3] = -(7 << n);
    spectrum[size - 2] = 1 << n;
    inverse_walsh(std::span(spectrum), n);
    for (std::size_t x = 0; x < size; ++x)
      ASSERT_EQ(spectrum[x], 3 * test::sign(5, x) - 7 * test::sign(size / 3, x) + test::sign(size - 2, x))
          << n;
  }
}

// Compares all coefficients of short rows, and eight of each long one.
TYPED_TEST(WalshOf, BatchesAreRowsOnTheirOwn) {
  for (const int n : {0, 1, 3, 5, 8, 11}) {
    for (const std::size_t rows : {0u, 1u, 3u, 300u}) {
      const std::size_t size = std::size_t{1} << n;
      const auto f = random_values<TypeParam>(rows * size, 100, rows + size);
      auto batch = f;
      walsh(std::span(batch), n, {.threads = 2});
      const std::size_t step = size <= 32 ? 1 : size / 8 + 1;
      for (std::size_t row = 0; row < rows; ++row) {
        const auto values = std::span(f).subspan(row * size, size);
        for (std::size_t a = row % step; a < size; a += step)
          ASSERT_EQ(batch[row * size + a], test::walsh_coefficient<TypeParam>(values, a))
              << "n = " << n << ", row " << row << " of " << rows << ", a = " << a;
      }
    }
  }
}

TEST(Walsh, SequencyCountsTheSignChangesOfItsRow) {
  for (const int n : {1, 2, 3, 6, 7}) {
    const std::size_t size = std::size_t{1} << n;
    for (std::size_t x = 0; x < size; ++x) {
      // The transform of the delta at x is column x of the matrix. All columns make up the whole matrix.
      std::vector<std::int32_t> delta(size);
      delta[x] = 1;
      const auto column = transformed(delta, {.ordering = Ordering::sequency});
      // The sequency matrix is symmetric, so column x is row x.
      int changes = 0;
      for (std::size_t k = 1; k < size; ++k) changes += column[k] != column[k - 1];
      EXPECT_EQ(static_cast<std::size_t>(changes), x) << "n = " << n;
    }
  }
}

std::size_t reversed_bits(std::size_t k, int n) {
  std::size_t reversed = 0;
  for (int i = 0; i < n; ++i) reversed |= (k >> i & 1) << (n - 1 - i);
  return reversed;
}

TEST(Walsh, OrderingsFollowTheirFormulas) {
  for (const int n : {2, 5, 11, 13, 14, 15}) {
    const auto f = random_values<std::int32_t>(std::size_t{1} << n, 9, 1);
    const auto natural = transformed(f);
    const auto dyadic = transformed(f, {.ordering = Ordering::dyadic});
    const auto sequency = transformed(f, {.ordering = Ordering::sequency});
    for (std::size_t k = 0; k < f.size(); ++k) {
      ASSERT_EQ(dyadic[k], natural[reversed_bits(k, n)]);
      ASSERT_EQ(sequency[k], natural[reversed_bits(k ^ k >> 1, n)]);
    }
  }
}

TEST(Walsh, ExtremeIntegersWrapAndComeBack) {
  std::vector<std::int32_t> f(1 << 6, INT32_MIN);
  f[3] = INT32_MAX;
  auto wide = random_values<std::int64_t>(f.size(), 0, 0);
  std::ranges::copy(f, wide.begin());
  const auto expected = walsh_definition<std::int64_t>(wide);
  const auto wrapped = transformed(f);
  for (std::size_t a = 0; a < f.size(); ++a) EXPECT_EQ(wrapped[a], static_cast<std::int32_t>(expected[a]));
}

TEST(Walsh, ErrorsSayWhatIsWrong) {
  std::vector<std::int32_t> f(12);
  EXPECT_EQ(usage_error([&] { log2_exact(12); }), "the length is 12, not a power of two");
  EXPECT_EQ(usage_error([&] { log2_exact(0); }), "the length is 0, not a power of two");
  EXPECT_EQ(usage_error([&] { walsh(std::span(f), 3); }), "12 values are not whole rows of 2^3");
  EXPECT_EQ(usage_error([&] { walsh(std::span(f), 99); }), "n = 99 is outside 0 to 40");
  std::vector<std::int32_t> odd{1, 0};
  EXPECT_EQ(usage_error([&] { inverse_walsh(std::span(odd), 1); }),
            "not the spectrum of an integer function: the inverse has fractions");
}

TEST(Papers, AlgorithmZeroEqualsTheDefinition) {
  for (int n = 0; n <= (::fugu::test::kSanitized ? 10 : 12); ++n) {
    auto f = test::random_values<std::int32_t>(std::size_t{1} << n, 99, static_cast<std::uint64_t>(n));
    const auto expected = test::walsh_definition<std::int32_t>(f);
    paper_walsh_0(f);
    EXPECT_EQ(f, expected) << n;
  }
}

// Rows of 16-bit floats on the CPU: sums of small integers are exact in float, so that results are those of
// the definition, rounded once.

template <class T>
std::vector<std::uint16_t> bits_of(const std::vector<float>& values) {
  std::vector<std::uint16_t> bits;
  for (const float value : values) bits.push_back(core::rounded<T>(value).bits);
  return bits;
}

template <class T>
void expect_rounded_once(int n, std::size_t rows, const WalshOptions& options) {
  const std::vector<float> f = test::random_values<float>(rows << n, 7, static_cast<std::uint64_t>(n));
  std::vector<float> right = f;
  walsh(std::span(right), n, {.ordering = options.ordering});
  for (float& value : right) value *= 0.75f;
  std::vector<std::uint16_t> in = bits_of<T>(f), out(in.size());
  ASSERT_TRUE(walsh_halves<T>(in, out, n, 0.75, options));
  ASSERT_EQ(out, bits_of<T>(right)) << n << ", rows " << rows;
  ASSERT_TRUE(walsh_halves<T>(in, in, n, 0.75, options));
  ASSERT_EQ(in, out) << n << ", in place";
}

TEST(WalshHalves, AreRoundedOnce) {
  threads::ThreadPool pool(3);
  for (const Isa isa : isas()) {
    const WalshLimits limits{isa};
    for (const auto& [n, rows] :
         {std::pair{0, 5u}, {1, 3u}, {4, 1u}, {7, 400u}, {10, 3u}, {15, 3u}, {17, 2u}, {18, 2u}}) {
      expect_rounded_once<core::Float16>(n, rows, {.limits = &limits});
      expect_rounded_once<core::Bfloat16>(n, rows, {.pool = &pool, .limits = &limits});
    }
  }
  for (const Ordering ordering : {Ordering::dyadic, Ordering::sequency})
    expect_rounded_once<core::Float16>(9, 5, {.ordering = ordering});
}

// The matrices of all orderings are symmetric.
TEST(WalshHalves, AreTheirOwnInverse) {
  for (const Ordering ordering : {Ordering::natural, Ordering::dyadic, Ordering::sequency}) {
    const auto f = bits_of<core::Float16>(test::random_values<float>(std::size_t{3} << 6, 9, 1));
    std::vector<std::uint16_t> data = f;
    ASSERT_TRUE(walsh_halves<core::Float16>(data, data, 6, 1, {.ordering = ordering}));
    EXPECT_NE(data, f);
    ASSERT_TRUE(walsh_halves<core::Float16>(data, data, 6, 1.0 / 64, {.ordering = ordering}));
    EXPECT_EQ(data, f);
  }
}

TEST(WalshHalves, SayThatFiniteRowsExceedTheirType) {
  const std::uint16_t large = core::rounded<core::Float16>(60000.0f).bits, infinity = 0x7c00;
  for (const auto& [n, rows] : {std::pair{2, 2u}, std::pair{19, 1u}}) {
    const std::size_t row = std::size_t{1} << n;
    threads::ThreadPool pool(2);
    std::vector<std::uint16_t> in(rows * row, 0), out(in.size());
    in[in.size() - 1] = in[in.size() - 2] = large;
    EXPECT_FALSE(walsh_halves<core::Float16>(in, out, n, 1, {.pool = &pool}));
    EXPECT_EQ(out[(rows - 1) * row], infinity);
    EXPECT_TRUE(walsh_halves<core::Float16>(in, out, n, 0.5, {.pool = &pool}));
    in[in.size() - 1] = infinity;
    EXPECT_TRUE(walsh_halves<core::Float16>(in, out, n, 1, {.pool = &pool}));
    EXPECT_EQ(out[(rows - 1) * row], infinity);
  }
}

TEST(WalshHalves, Refuse) {
  std::vector<std::uint16_t> in(12), out(12);
  EXPECT_THROW(walsh_halves<core::Float16>(in, out, 3), Error);
  EXPECT_THROW(walsh_halves<core::Float16>(in, std::span(out).first(8), 2), Error);
  const auto largest = core::rounded<core::Bfloat16>(std::numeric_limits<float>::max() / 2).bits;
  std::vector<std::uint16_t> beyond(4, largest);
  EXPECT_THROW(walsh_halves<core::Bfloat16>(beyond, beyond, 2), Error);
}

}  // namespace
}  // namespace fugu::spectral
