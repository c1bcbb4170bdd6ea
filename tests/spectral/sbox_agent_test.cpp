// Compares the agents of the S-box kernels, on the host, with the results of the CPU, which other tests
// compare with the definitions.
#include "fugu/spectral/sbox/algebra.hpp"

#include "fugu/spectral/sbox/boomerang.hpp"
#include "fugu/spectral/sbox/differential.hpp"
#include "kernels/sbox/boomerang_agent.hpp"
#include "kernels/sbox/box_agent.hpp"
#include "kernels/sbox/profile_agent.hpp"
#include "spectral/support.hpp"

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

// Compares the agent of boomerang tables, on the host, with the rows that the CPU computes by the definition.

struct PlainAtomics {
  static std::uint32_t exchange(std::uint32_t* word, std::uint32_t value) {
    return std::exchange(*word, value);
  }
  static std::uint32_t compare_exchange(std::uint32_t* word, std::uint32_t expected, std::uint32_t value) {
    const std::uint32_t found = *word;
    if (found == expected) *word = value;
    return found;
  }
  static std::uint32_t add(std::uint32_t* word, std::uint32_t value) {
    const std::uint32_t found = *word;
    *word += value;
    return found;
  }
};

// A block of the kernel that counts the entries of boomerang tables.
template <class Value, class Counters>
class BoomerangBlock {
 public:
  BoomerangBlock(const SBox& box, std::uint32_t a, unsigned threads, ThreadOrder order)
      : size_(static_cast<std::uint32_t>(box.size())),
        values_(box.values().begin(), box.values().end()),
        before_(size_ / 2, Value{0x5a}),
        words_(size_),
        counters_(words_.data()),
        order_(order) {
    for (unsigned thread = 0; thread < threads; ++thread)
      threads_.emplace_back(values_.data(), box.inputs(), a, before_.data(), thread, threads);
  }

  bool group() {
    bool nonzero = true;
    run_phase(threads_, order_, [&](Thread& t, unsigned) { nonzero &= t.group(counters_); });
    drain(size_);
    return nonzero;
  }

  // Returns the counts of the nonzero values.
  Histogram half_beta() {
    run_phase(threads_, order_, [&](Thread& t, unsigned) { t.add_beta(counters_); });
    return drain(size_);
  }
  Histogram quarter_phi() {
    run_phase(threads_, order_, [&](Thread& t, unsigned) { t.add_phi(counters_); });
    return drain(size_ / 2);
  }

 private:
  using Thread = kernels::BoomerangThread<Value>;

  Histogram drain(std::uint32_t count) {
    Histogram found;
    const auto threads = static_cast<unsigned>(threads_.size());
    run_phase(threads_, order_, [&](Thread&, unsigned thread) {
      counters_.drain(thread, threads, count, [&](std::uint32_t value) { ++found[value]; });
    });
    EXPECT_EQ(std::ranges::count(words_, 0u), static_cast<std::ptrdiff_t>(words_.size()));
    return found;
  }

  std::uint32_t size_;
  std::vector<Value> values_;
  std::vector<Value> before_;
  std::vector<std::uint32_t> words_;
  Counters counters_;
  std::vector<Thread> threads_;
  ThreadOrder order_;
};

// Returns the counts of a row's nonzero entries, divided by `step`, without those at 0 and at `skipped`.
Histogram entries_of(const std::vector<std::int32_t>& row, std::uint32_t skipped, std::int32_t step) {
  Histogram found;
  for (std::uint32_t b = 1; b < row.size(); ++b) {
    if (b != skipped && row[b] != 0) ++found[row[b] / step];
  }
  return found;
}

template <class Value, class Counters>
void expect_boomerangs(const SBox& box, std::uint32_t a, unsigned threads, ThreadOrder order) {
  SCOPED_TRACE(std::to_string(box.inputs()) + " bits, a = " + std::to_string(a));
  BoomerangBlock<Value, Counters> block(box, a, threads, order);
  ASSERT_TRUE(block.group());
  std::vector<std::int32_t> row(box.size());
  bct_row(box, a, row);
  EXPECT_EQ(block.half_beta(), entries_of(row, 0, 2));
  fbct_row(box, a, row);
  Histogram phi = block.quarter_phi();
  for (auto& [value, count] : phi) count *= 2;  // a counter stands for x + y and x + y + a
  EXPECT_EQ(phi, entries_of(row, a, 4));
}

TEST(BoomerangAgent, CountsRowsOfPermutations) {
  using Packed = kernels::PackedCounters<PlainAtomics>;
  using Whole = kernels::WholeCounters<PlainAtomics>;
  std::mt19937 random(1);
  for (const int bits : {1, 2, 3, 5, 8, 12}) {
    const SBox box = random_permutation(bits, random);
    for (std::uint32_t a = 1; a < box.size(); a = 3 * a + 1) {
      expect_boomerangs<std::uint16_t, Packed>(box, a, 32, ThreadOrder::upwards);
      expect_boomerangs<std::uint32_t, Whole>(box, a, 32, ThreadOrder::downwards);
    }
  }
  for (const std::uint32_t a : {1u, 0x8001u})
    expect_boomerangs<std::uint16_t, Packed>(random_permutation(16, random), a, 1024, ThreadOrder::downwards);
  expect_boomerangs<std::uint32_t, Whole>(random_permutation(17, random), 0x10002, 1024,
                                          ThreadOrder::upwards);
}

// All pairs are in one group.
TEST(BoomerangAgent, CountsRowsOfAffinePermutations) {
  for (const int bits : {2, 6, 11}) {
    const SBox box = box_of(bits, bits, [](std::uint32_t x) { return x ^ x << 1 ^ 1; });
    for (const auto order : {ThreadOrder::upwards, ThreadOrder::downwards})
      expect_boomerangs<std::uint16_t, kernels::PackedCounters<PlainAtomics>>(box, 3, 64, order);
  }
}

// A pair with equal values, in whichever thread, shows that the box is not a permutation.
TEST(BoomerangAgent, SeesWhatIsNoPermutation) {
  const SBox box = box_of(6, 6, [](std::uint32_t x) { return x == 41 ? 40 : x; });
  using Block = BoomerangBlock<std::uint16_t, kernels::PackedCounters<PlainAtomics>>;
  for (std::uint32_t a = 1; a < box.size(); ++a)
    EXPECT_EQ(Block(box, a, 32, ThreadOrder::upwards).group(), a != 1) << a;
}

// Compares the agent that transforms one component per thread with the definition. Pairs of integers replace
// those of 16-bit floats.

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
  std::unique_ptr<kernels::CoordinateWords> words{new kernels::CoordinateWords[1]{}};

  template <class Value>
  explicit Box(Value value) {
    for (std::uint32_t x = 0; x < 256; ++x) {
      values[x] = value(x);
      for (int j = 0; j < kernels::kProfileCoordinates; ++j)
        (*words)[j][x / 32] |= (values[x] >> j & 1) << (x % 32);
    }
  }

  int largest_of(std::uint32_t b) const {
    int largest = 0;
    for (std::uint32_t a = 0; a < 256; ++a) {
      int sum = 0;
      for (std::uint32_t x = 0; x < 256; ++x) sum += sign(b, values[x]) * sign(a, x);
      largest = std::max(largest, std::abs(sum));
    }
    return largest;
  }
};

kernels::SignTable<IntegerPair> signs() {
  kernels::SignTable<IntegerPair> table;
  for (std::uint32_t entry = 0; entry < table.kEntries; ++entry) table.fill(entry);
  return table;
}

// Returns the masks of a range in the order of a thread.
void expect_definition(const Box& box, std::uint32_t lane, std::uint32_t first, std::uint32_t last) {
  const kernels::SignTable<IntegerPair> table = signs();
  kernels::ProfileThread<IntegerPair> thread(*box.words, lane, first);
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
}  // namespace fugu::spectral
