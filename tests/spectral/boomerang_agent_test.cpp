// Compares the agent of boomerang tables, on the host, with the rows that the CPU computes by the definition.
#include "kernels/sbox/boomerang_agent.hpp"
#include "fugu/spectral/sbox/boomerang.hpp"
#include "spectral/fake_block.hpp"
#include "spectral/made_boxes.hpp"
#include "support/testing.hpp"

namespace fugu::spectral {
namespace {

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

}  // namespace
}  // namespace fugu::spectral
