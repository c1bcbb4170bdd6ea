// Compares the agent that transforms one component per thread with the definition. Pairs of integers replace
// those of 16-bit floats.
#include "kernels/sbox/profile_agent.hpp"

#include "support/testing.hpp"

namespace fugu::kernels {
namespace {

struct IntegerPair {
  int low = 0;
  int high = 0;

  IntegerPair() = default;
  IntegerPair(int a, int b) : low(a), high(b) {}
  IntegerPair operator+(IntegerPair o) const { return {low + o.low, high + o.high}; }
  IntegerPair operator-(IntegerPair o) const { return {low - o.low, high - o.high}; }
  IntegerPair magnitudes_with(IntegerPair o) const {
    return {std::abs(low) + std::abs(o.low), std::abs(high) + std::abs(o.high)};
  }
  IntegerPair larger(IntegerPair o) const { return {std::max(low, o.low), std::max(high, o.high)}; }
  int largest() const { return std::max(low, high); }
};

struct Box {
  std::vector<std::uint32_t> values = std::vector<std::uint32_t>(256);
  std::unique_ptr<CoordinateWords> words{new CoordinateWords[1]{}};

  template <class Value>
  explicit Box(Value value) {
    for (std::uint32_t x = 0; x < 256; ++x) {
      values[x] = value(x);
      for (int j = 0; j < kProfileCoordinates; ++j) (*words)[j][x / 32] |= (values[x] >> j & 1) << (x % 32);
    }
  }

  int largest_of(std::uint32_t b) const {
    int largest = 0;
    for (std::uint32_t a = 0; a < 256; ++a) {
      int sum = 0;
      for (std::uint32_t x = 0; x < 256; ++x)
        sum += (std::popcount(b & values[x]) + std::popcount(a & x)) % 2 == 0 ? 1 : -1;
      largest = std::max(largest, std::abs(sum));
    }
    return largest;
  }
};

SignTable<IntegerPair> signs() {
  SignTable<IntegerPair> table;
  for (std::uint32_t entry = 0; entry < table.kEntries; ++entry) table.fill(entry);
  return table;
}

// Returns the masks of a range in the order of a thread.
void expect_definition(const Box& box, std::uint32_t lane, std::uint32_t first, std::uint32_t last) {
  const SignTable<IntegerPair> table = signs();
  ProfileThread<IntegerPair> thread(*box.words, lane, first);
  for (std::uint32_t i = first; i < last; ++i) {
    if (i != first) thread.advance(std::countr_zero(i));
    ASSERT_EQ(thread.mask() % 128, lane);
    ASSERT_EQ(thread.mask() / 128, i ^ i / 2);
    ASSERT_EQ(thread.largest(table), box.largest_of(thread.mask())) << thread.mask();
  }
}

TEST(ProfileAgent, EqualsTheDefinitionForRandomBoxes) {
  std::mt19937 random(1);
  const Box box([&](std::uint32_t) { return static_cast<std::uint32_t>(random()); });
  expect_definition(box, 0, 0, 40);
  expect_definition(box, 127, 1'000'003, 1'000'020);
  expect_definition(box, 64, (1u << 25) - 10, 1u << 25);
}

// The largest possible |W| is 256; for a bent function all |W| are 16.
TEST(ProfileAgent, ReachesTheBounds) {
  const Box box([](std::uint32_t x) {
    return x | static_cast<std::uint32_t>(std::popcount(x & x >> 4 & 15) % 2) << 8;
  });
  EXPECT_EQ(box.largest_of(0), 256);
  EXPECT_EQ(box.largest_of(256), 16);
  EXPECT_EQ(box.largest_of(93), 256);
  expect_definition(box, 0, 0, 4);  // gray(3) = 2: mask 256
  expect_definition(box, 93, 0, 4);
}

}  // namespace
}  // namespace fugu::kernels
