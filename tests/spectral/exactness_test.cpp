// The bound by which integer transforms that may overflow are refused.
#include "fugu/spectral/exactness.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

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

TEST(Exactness, FloatsAlwaysFit) {
  EXPECT_TRUE(fits<double>({1e300, 1e300}, 2));
}

}  // namespace
}  // namespace fugu::spectral
