// walsh_if_exact() computes what walsh() does if the values fit, and otherwise changes nothing.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "fugu/spectral/walsh.hpp"
#include "fugu/threads/thread_pool.hpp"
#include "spectral/definition.hpp"

namespace fugu::spectral {
namespace {

using test::random_values;
using test::walsh_by_factors;

// Caches are narrow, so that small rows take column passes as large ones do: none, one of 2 stages, one of 5,
// and two of 5 and 4.
constexpr int kSizes[] = {4, 9, 12, 16};
constexpr int kCacheBits = 7;

std::vector<WalshOptions> ways() {
  std::vector<WalshOptions> all;
  for (int isa = 0; isa <= static_cast<int>(best_isa()); ++isa) {
    for (const unsigned threads : {1u, 2u})
      all.push_back({.threads = threads, .isa = static_cast<Isa>(isa), .cache_bits = kCacheBits});
  }
  return all;
}

template <class T>
class WalshIfExactOf : public testing::Test {
 protected:
  static constexpr T kLargest = std::numeric_limits<T>::max();

  static void expect_transformed(const std::vector<T>& f, int n) {
    const std::vector<T> expected = walsh_by_factors(f);
    for (const WalshOptions& options : ways()) {
      std::vector<T> values = f;
      EXPECT_TRUE(walsh_if_exact(std::span(values), n, options));
      EXPECT_EQ(values, expected) << "n = " << n << ", isa " << static_cast<int>(options.isa);
    }
  }

  static void expect_untouched(const std::vector<T>& f, int n) {
    for (const WalshOptions& options : ways()) {
      std::vector<T> values = f;
      EXPECT_FALSE(walsh_if_exact(std::span(values), n, options));
      EXPECT_EQ(values, f) << "n = " << n << ", isa " << static_cast<int>(options.isa);
    }
  }
};
using Integers = testing::Types<std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(WalshIfExactOf, Integers);

TYPED_TEST(WalshIfExactOf, SmallValuesAreTransformed) {
  for (const int n : {4, 9, 12}) {
    const TypeParam most = TypeParam{1} << (std::numeric_limits<TypeParam>::digits - 1 - n);
    this->expect_transformed(random_values<TypeParam>(std::size_t{1} << n, 1000, 7), n);
    this->expect_transformed(std::vector<TypeParam>(std::size_t{1} << n, -most), n);
    this->expect_transformed(std::vector<TypeParam>(std::size_t{1} << n, most - 1), n);
  }
}

// The largest value comes first, late or last, after much has been transformed.
TYPED_TEST(WalshIfExactOf, OneLargeValueIsTransformedWhereTheSumFits) {
  for (const int n : {4, 9, 12}) {
    const std::size_t size = std::size_t{1} << n;
    for (const std::size_t at : {std::size_t{0}, size / 2 + 1, size - 1}) {
      auto f = random_values<TypeParam>(size, 100, 8);
      f[at] = this->kLargest / 2;
      this->expect_transformed(f, n);
      f[at] = -(this->kLargest / 2);
      this->expect_transformed(f, n);
    }
  }
}

TYPED_TEST(WalshIfExactOf, WhatMayNotFitStaysAsItWas) {
  for (const int n : kSizes) {
    const std::size_t size = std::size_t{1} << n;
    for (const std::size_t at : {std::size_t{0}, size / 2 + 1, size - 1}) {
      auto f = random_values<TypeParam>(size, 100, 9);
      f[size / 4] = 1;
      f[at] = this->kLargest;
      this->expect_untouched(f, n);
      f[at] = std::numeric_limits<TypeParam>::min();
      this->expect_untouched(f, n);
    }
    const TypeParam share = TypeParam{1} << (std::numeric_limits<TypeParam>::digits - n);
    this->expect_untouched(std::vector<TypeParam>(size, share), n);
    this->expect_untouched(std::vector<TypeParam>(size, -share), n);
  }
}

// Threads stop early, and each undoes what others have transformed.
TYPED_TEST(WalshIfExactOf, ThreadsLeaveNothingBehind) {
  constexpr int kLog2Size = 18;
  constexpr std::size_t kSize = std::size_t{1} << kLog2Size;
  threads::ThreadPool pool(3);
  const auto f = random_values<TypeParam>(kSize, 100, 12);
  for (const std::size_t at : {kSize / 2 + 1, kSize - 1}) {
    std::vector<TypeParam> values = f;
    values[at] = this->kLargest;
    const std::vector<TypeParam> before = values;
    EXPECT_FALSE(walsh_if_exact(std::span(values), kLog2Size, {.pool = &pool, .cache_bits = kCacheBits}));
    EXPECT_EQ(values, before);
  }
  std::vector<TypeParam> values = f;
  EXPECT_TRUE(walsh_if_exact(std::span(values), kLog2Size, {.pool = &pool, .cache_bits = kCacheBits}));
  EXPECT_EQ(values, walsh_by_factors(f));
}

TYPED_TEST(WalshIfExactOf, RowsAndOrderingsAreThoseOfWalsh) {
  const auto f = random_values<TypeParam>(std::size_t{1} << 16, 1000, 10);
  for (const int n : {3, 12, 16}) {
    for (const Ordering ordering : {Ordering::natural, Ordering::dyadic, Ordering::sequency}) {
      const WalshOptions options{.ordering = ordering, .threads = 2, .cache_bits = kCacheBits};
      std::vector<TypeParam> expected = f;
      std::vector<TypeParam> values = f;
      walsh(std::span(expected), n, options);
      EXPECT_TRUE(walsh_if_exact(std::span(values), n, options));
      EXPECT_EQ(values, expected);
    }
  }
}

}  // namespace
}  // namespace fugu::spectral
