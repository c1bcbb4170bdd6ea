// Rows of 16-bit floats on the CPU: sums of small integers are exact in float, so that results are those of
// the definition, rounded once.
#include "fugu/core/half.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/limits.hpp"
#include "fugu/spectral/walsh.hpp"
#include "fugu/threads/thread_pool.hpp"
#include "spectral/definition.hpp"
#include "support/testing.hpp"

namespace fugu::spectral {
namespace {

constexpr Isa kIsas[] = {Isa::baseline, Isa::avx2, Isa::avx512};

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
  for (const Isa isa : kIsas) {
    if (isa > best_isa()) continue;
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
