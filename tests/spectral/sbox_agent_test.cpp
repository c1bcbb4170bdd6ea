// Compares the agents of the S-box kernels, on the host, with the results of the CPU, which other tests
// compare with the definitions.
#include "fugu/spectral/sbox/algebra.hpp"
#include "fugu/spectral/sbox/differential.hpp"
#include "kernels/sbox/box_agent.hpp"
#include "kernels/sbox/profile_agent.hpp"
#include "spectral/made_boxes.hpp"
#include "support/testing.hpp"

namespace fugu::spectral {
namespace {

// Truth tables of more points repeat those of the box.
TEST(BoxAgent, SlicesValuesIntoCoordinates) {
  for (const SBox& box : {random_box(3, 31), random_box(5, 7), random_box(9, 20)}) {
    const auto size = static_cast<std::uint32_t>(box.size());
    for (std::uint32_t x = 0; x < 2048; ++x) {
      for (int j = 0; j < box.outputs(); ++j)
        ASSERT_EQ(kernels::coordinate_word(box.values().data(), size, j, x / 32) >> (x % 32) & 1,
                  box[x % box.size()] >> j & 1)
            << x << ' ' << j;
    }
  }
}

TEST(BoxAgent, CountsWhereAnOutputEqualsAnInput) {
  const SBox box = random_box(9, 4);
  for (int i = 0; i < box.inputs(); ++i) {
    for (int j = 0; j < box.outputs(); ++j) {
      std::uint32_t expected = 0, found = 0;
      for (std::uint32_t x = 0; x < box.size(); ++x) expected += (x >> i & 1) == (box[x] >> j & 1) ? 1u : 0u;
      for (std::uint32_t w = 0; w < box.size() / 32; ++w) {
        const std::uint32_t word =
            kernels::coordinate_word(box.values().data(), static_cast<std::uint32_t>(box.size()), j, w);
        found += kernels::agreements(word, i, w);
      }
      EXPECT_EQ(found, expected) << i << ' ' << j;
    }
  }
}

TEST(BoxAgent, FindsDifferencesOfOneBit) {
  const SBox box = random_box(7, 5);
  for (std::uint32_t a = 1; a < box.size(); a *= 2) {
    for (std::uint32_t x = 0; x < box.size(); ++x) {
      const std::uint32_t b = box[x] ^ box[x ^ a];
      EXPECT_EQ(kernels::one_bit_difference(box.values().data(), x, a), std::popcount(b) == 1 ? b : 0);
    }
  }
}

TEST(BoxAgent, ExtendsSignsOfValues) {
  EXPECT_EQ(kernels::bits_of_value(std::uint8_t{200}), 200u);
  EXPECT_EQ(kernels::bits_of_value(std::uint64_t{1} << 32), std::uint64_t{1} << 32);
  EXPECT_EQ(std::bit_width(kernels::bits_of_value(std::int8_t{-1})), 64);
  EXPECT_EQ(std::bit_width(kernels::bits_of_value(std::int64_t{-7})), 64);
}

TEST(TransparencyAgent, SignsOfOutputs) {
  EXPECT_EQ(kernels::coordinate_sign(0x8001, 0), -1);
  EXPECT_EQ(kernels::coordinate_sign(0x8001, 1), 1);
  EXPECT_EQ(kernels::coordinate_sign(0x8001, 15), -1);
}

TEST(TransparencyAgent, AddsUnderSigns) {
  constexpr std::int32_t kR[] = {1, -20, 300, -4000, 50000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 77, -(1 << 20)};
  for (const std::uint32_t quad : {0u, 1u, 5u, 0x2000u, 0x2005u, 0x3fffu}) {
    std::uint32_t sums[] = {1, 2, 3, 4};
    kernels::TransparencyQuad(quad).add(kR, sums);
    for (std::uint32_t i = 0; i < 4; ++i) {
      std::int32_t expected = 0;
      for (unsigned j = 0; j < 16; ++j) expected += ((4 * quad + i) >> j & 1) != 0 ? -kR[j] : kR[j];
      EXPECT_EQ(sums[i], i + 1 + static_cast<std::uint32_t>(std::abs(expected))) << quad << ' ' << i;
    }
  }
}

TEST(DegreeAgent, EqualsTheCpus) {
  const auto expect = [](const SBox& box) {
    const std::size_t words = std::max<std::size_t>(1, box.size() / 32);
    std::vector<std::uint32_t> forms;
    for (int j = 0; j < box.outputs(); ++j) {
      const TruthTable form = moebius(component(box, std::uint32_t{1} << j));
      for (std::size_t w = 0; w < words; ++w)
        forms.push_back(static_cast<std::uint32_t>(form.words()[w / 2] >> (w % 2 * 32)));
    }
    std::vector<std::uint32_t> order(words);
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, std::greater(), [](std::uint32_t i) { return std::popcount(i); });
    const kernels::ComponentDegrees all{box.outputs(), static_cast<std::uint32_t>(words), forms.data(),
                                        order.data(), nullptr};
    const std::vector<std::int8_t> expected = component_degrees(box);
    for (std::uint32_t b = 0; b < expected.size(); ++b)
      EXPECT_EQ(kernels::component_degree(all, b), expected[b]) << b;
  };
  expect(random_box(9, 8));
  expect(random_box(3, 5));
  expect(box_of(10, 8, [](std::uint32_t x) { return x * (x & 3); }));
  expect(box_of(8, 4, [](std::uint32_t) { return 9; }));
  expect(box_of(6, 4, [](std::uint32_t x) { return x ^ x >> 3; }));
}

TEST(SmallAgent, RowsAndDegreesEqualTheCpus) {
  const auto expect = [](const SBox& box) {
    std::vector<std::uint8_t> values;
    for (const std::uint32_t value : box.values()) values.push_back(static_cast<std::uint8_t>(value));
    std::vector<std::uint32_t> counters(kernels::SmallRow::kWords * kernels::kSmallThreads, 99);
    std::uint32_t uniformity = 0;
    for (std::uint32_t a = 1; a < box.size(); ++a)
      uniformity =
          std::max(uniformity,
                   kernels::SmallRow(counters.data(), a % kernels::kSmallThreads).largest(values.data(), a));
    EXPECT_EQ(uniformity, differential(box).uniformity);
    std::uint32_t degree_and_1 = 0;
    for (int j = 0; j < box.outputs(); ++j) {
      std::uint32_t words[kernels::kProfileWords];
      for (unsigned w = 0; w < kernels::kProfileWords; ++w)
        words[w] = kernels::coordinate_word(values.data(), kernels::kSmallPoints, j, w);
      degree_and_1 = std::max(degree_and_1, kernels::small_degree_and_one(words));
    }
    EXPECT_EQ(static_cast<int>(degree_and_1) - 1, degree(box));
  };
  expect(random_box(8, 8));
  expect(random_box(8, 3));
  expect(box_of(8, 8, [](std::uint32_t x) { return x; }));
  expect(box_of(8, 8, [](std::uint32_t x) { return x * (x & 1); }));
  expect(box_of(8, 8, [](std::uint32_t) { return 0; }));
}

}  // namespace
}  // namespace fugu::spectral
