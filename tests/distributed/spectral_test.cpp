// Compares transforms over all ranks with the transform of one process and with the definition. The smallest
// orders have fewer values than ranks.
#include "fugu/distributed/spectral.hpp"

#include "distributed/support.hpp"
#include "fugu/spectral/dyadic.hpp"
#include "spectral/support.hpp"

namespace fugu::distributed {
namespace {

const spectral::WalshOptions kOneThread{.threads = 1};

template <class T>
std::vector<T> function(int n, unsigned seed) {
  return spectral::test::random_values<T>(std::size_t{1} << n, 100, seed + static_cast<unsigned>(n));
}

// Returns this rank's share of the values, if the transform's order leaves it one.
template <class T>
class Share {
 public:
  explicit Share(int n) : ranks_(world(), 1 << log2_transform_ranks(n, world().size())), n_(n) {}

  bool in() const { return ranks_.in(); }
  const Communicator& ranks() const { return ranks_; }

  std::vector<T> slab(const std::vector<T>& whole) const {
    const std::size_t count = split_of(ranks_, n_).local_values();
    const auto first =
        whole.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(ranks_.rank()) * count);
    return {first, first + static_cast<std::ptrdiff_t>(count)};
  }

  // Returns the values of `whole` at the places of an interleaved rank.
  std::vector<T> interleaved(const std::vector<T>& whole) const {
    const Split split = split_of(ranks_, n_);
    std::vector<T> mine(split.local_values());
    for (const auto& run : interleaved_runs(split, ranks_.rank()))
      for (std::size_t i = 0; i < run.values; ++i) mine[run.local + i] = whole[run.global + i];
    return mine;
  }

 private:
  Communicator ranks_;
  int n_;
};

template <class T>
class Spectral : public testing::Test {};
TYPED_TEST_SUITE(Spectral, spectral::Types);

TYPED_TEST(Spectral, TransformIsTheDefinition) {
  using T = TypeParam;
  for (int n = 0; n <= 8; ++n) {
    SCOPED_TRACE(n);
    const Share<T> share(n);
    if (!share.in()) continue;
    const std::vector<T> f = function<T>(n, 1);
    std::vector<T> mine = share.slab(f);
    walsh(share.ranks(), std::span<T>(mine), n, kOneThread);
    EXPECT_EQ(mine, share.interleaved(spectral::test::walsh_definition<T>(f)));
  }
}

TYPED_TEST(Spectral, TransformIsThatOfOneProcessThereAndBack) {
  using T = TypeParam;
  for (int n = 9; n <= 19; ++n) {
    SCOPED_TRACE(n);
    const Share<T> share(n);
    if (!share.in()) continue;
    const std::vector<T> f = function<T>(n, 2);
    std::vector<T> spectrum = f;
    spectral::walsh(std::span<T>(spectrum), n, kOneThread);
    std::vector<T> mine = share.slab(f);
    walsh(share.ranks(), std::span<T>(mine), n, kOneThread);
    EXPECT_EQ(mine, share.interleaved(spectrum));
    mine = share.slab(spectrum);
    inverse_walsh<T>(share.ranks(), mine, n,
                     [&](std::span<T> values) { walsh(share.ranks(), values, n, kOneThread); });
    EXPECT_EQ(mine, share.interleaved(f));
  }
}

// Takes rows of every width below and above that of a tile.
TYPED_TEST(Spectral, StagesOfBitsAreThoseOfTheDefinition) {
  using T = TypeParam;
  constexpr int n = 12;
  const std::vector<T> f = function<T>(n, 3);
  for (int first = 0; first < n; ++first) {
    for (int stages = 0; first + stages <= n; ++stages) {
      std::vector<T> got = f;
      spectral::walsh_stages(std::span<T>(got), first, stages, kOneThread);
      EXPECT_EQ(got, spectral::test::stages(f, first, stages)) << first << " " << stages;
    }
  }
}

TEST(SpectralIntegers, ConvolutionIsTheDefinition) {
  using T = std::int64_t;
  for (int n = 0; n <= 7; ++n) {
    SCOPED_TRACE(n);
    const Share<T> share(n);
    if (!share.in()) continue;
    const std::vector<T> f = function<T>(n, 4);
    const std::vector<T> g = function<T>(n, 5);
    const Transform<T> transform = [&](std::span<T> values) { walsh(share.ranks(), values, n, kOneThread); };
    std::vector<T> mine = share.slab(f);
    std::vector<T> other = share.slab(g);
    dyadic_convolve<T>(share.ranks(), mine, other, n, transform);
    EXPECT_EQ(mine, share.slab(spectral::test::convolution_definition<T>(f, g)));
    mine = share.slab(f);
    dyadic_convolve<T>(share.ranks(), mine, mine, n, transform);
    EXPECT_EQ(mine, share.slab(spectral::test::convolution_definition<T>(f, f)));
  }
}

TEST(SpectralIntegers, WhatMayNotFitIsRefusedOnEveryRank) {
  using T = std::int64_t;
  constexpr int n = 8;
  const Share<T> share(n);
  if (!share.in()) return;
  const Transform<T> transform = [&](std::span<T> values) { walsh(share.ranks(), values, n, kOneThread); };
  std::vector<T> large(split_of(share.ranks(), n).local_values());
  if (share.ranks().is_root()) large[0] = std::int64_t{1} << 40;
  EXPECT_EQ(
      failure_of([&] { dyadic_convolve<T>(share.ranks(), large, large, n, transform); }),
      expected(Errc::usage,
               "the convolution may need more than 64-bit integers: one process (fugu) can use wider ones"));
  std::vector<T> f(large.size()), g(large.size());
  if (share.ranks().is_root()) f[0] = 1 << 27, g[0] = (1 << 28) - 1;  // the product is below 2^(63 - n)
  EXPECT_EQ(failure_of([&] { dyadic_convolve<T>(share.ranks(), f, g, n, transform); }), "");
  std::ranges::fill(f, 0);
  std::ranges::fill(g, 0);
  if (share.ranks().is_root()) f[0] = 1 << 27, g[0] = 1 << 28;
  EXPECT_NE(failure_of([&] { dyadic_convolve<T>(share.ranks(), f, g, n, transform); }), "");
  std::vector<T> odd(large.size());
  if (share.ranks().is_root()) odd[0] = 1;  // 2^-8 everywhere
  EXPECT_EQ(failure_of([&] { inverse_walsh<T>(share.ranks(), odd, n, transform); }),
            expected(Errc::usage, "not the spectrum of an integer function: the inverse has fractions"));
  std::vector<std::int32_t> sums(large.size(), (1 << 30) / 128);
  EXPECT_FALSE(sums_fit<std::int32_t>(share.ranks(), sums, n));
  sums[0] -= 1;  // on every rank
  EXPECT_TRUE(sums_fit<std::int32_t>(share.ranks(), sums, n));
}

TEST(SpectralIntegers, LargestMagnitudeIsThatOfAllRanks) {
  std::vector<std::int64_t> values{3, -4, world().rank() == world().size() - 1 ? -70 : 5};
  EXPECT_EQ(largest_magnitude<std::int64_t>(world(), values), 70U);
}

}  // namespace
}  // namespace fugu::distributed
