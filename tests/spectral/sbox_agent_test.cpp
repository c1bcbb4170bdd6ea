// Compares the agents of the S-box kernels, on the host, with the results of the CPU, which other tests
// compare with the definitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <random>

#include "fugu/spectral/sbox/algebra.hpp"
#include "fugu/spectral/sbox/autocorrelation.hpp"
#include "fugu/spectral/sbox/differential.hpp"
#include "fugu/spectral/sbox/linear.hpp"
#include "fugu/spectral/walsh.hpp"
#include "kernels/sbox/box_agent.hpp"
#include "kernels/sbox/degree_agent.hpp"
#include "kernels/sbox/row_agent.hpp"
#include "kernels/sbox/small_agent.hpp"
#include "kernels/sbox/sparse_row_agent.hpp"
#include "kernels/sbox/transparency_agent.hpp"
#include "kernels/sbox/wide_row_agent.hpp"
#include "spectral/fake_block.hpp"
#include "spectral/made_boxes.hpp"

namespace fugu::spectral {
namespace {

using test::box_of;
using test::random_box;
using test::run_phase;
using test::ThreadOrder;

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

TEST(BoxAgent, SeesWhichValuesFitNoOutputs) {
  EXPECT_EQ(kernels::bits_of_value(std::uint8_t{200}), 200u);
  EXPECT_EQ(kernels::bits_of_value(std::uint64_t{1} << 32), std::uint64_t{1} << 32);
  EXPECT_EQ(std::bit_width(kernels::bits_of_value(std::int8_t{-1})), 64);
  EXPECT_EQ(std::bit_width(kernels::bits_of_value(std::int64_t{-7})), 64);
}

template <unsigned low>
void expect_fours(const SBox& box, std::uint32_t a) {
  ASSERT_EQ(a % 4, low);
  alignas(16) std::uint32_t values[1 << 9];
  std::ranges::copy(box.values(), values);
  const auto quarter = static_cast<std::uint32_t>(box.size() / 8);
  std::map<std::uint32_t, std::uint32_t> found, expected;
  for (std::uint32_t first = 0; first < quarter; first += 11) {
    for (std::uint32_t thread = 0; thread < 3; ++thread)
      kernels::for_each_of_fours<3, low>(values, first + thread, std::min(first + 11, quarter), a,
                                         [&](std::uint32_t b) { found[b] += 2; });
  }
  for (const DdtEntry& entry : ddt_entries(box, a)) expected[entry.b] = entry.count;
  EXPECT_EQ(found, expected) << a;
}

TEST(SparseRowAgent, VisitsPairsFourAtATime) {
  const SBox box = random_box(9, 18);
  for (const std::uint32_t a : {4u, 8u, 124u, 256u, 508u}) {
    expect_fours<0>(box, a);
    expect_fours<1>(box, a + 1);
    expect_fours<2>(box, a + 2);
    expect_fours<3>(box, a + 3);
  }
}

// Threads share a row's pairs in parts of any length.
TEST(WideAgent, CountsAndTalliesRows) {
  for (const SBox& box : {random_box(8, 18), random_box(8, 5), random_box(11, 4),
                          box_of(8, 17, [](std::uint32_t x) { return x; })}) {
    for (const std::uint32_t a : {1u, 6u, 255u}) {
      std::vector<std::uint32_t> row(std::size_t{1} << box.outputs());
      const auto pairs = static_cast<std::uint32_t>(box.size() / 2);
      for (std::uint32_t first = 0; first < pairs; first += 100) {
        for (std::uint32_t thread = 0; thread < 8; ++thread)
          kernels::for_each_pair<8>(box.values().data(), first + thread, std::min(first + 100, pairs), a,
                                    [&](std::uint32_t b) { ++row[b]; });
      }
      kernels::PairTally tally;
      std::map<std::uint32_t, std::uint32_t> found, expected;
      for (const DdtEntry& entry : ddt_entries(box, a)) {
        ASSERT_EQ(2 * row[entry.b], entry.count) << entry.b;
        ++expected[entry.count / 2];
      }
      for (const std::uint32_t count : row) tally.add(count, [&](std::uint32_t many) { ++found[many]; });
      for (std::uint32_t i = 0; i < 3; ++i) {
        if (tally.found[i] != 0) found[i + 1] = tally.found[i];
      }
      EXPECT_EQ(found, expected) << a;
    }
  }
}

void add_tallied(const kernels::FewPairs& few, Histogram& histogram) {
  for (std::uint32_t pairs = 1; pairs <= kernels::FewPairs::kFew; ++pairs) {
    const std::uint32_t entries = few.tallies[(pairs - 1) / 2] >> ((pairs - 1) % 2 * 16) & 0xffff;
    if (entries != 0) histogram[pairs] += entries;
  }
}

// The counters have all values of four bits, and one that needs 16 bits.
TEST(FewPairs, AreTalliedOrVisited) {
  std::mt19937 random(1);
  for (const std::uint32_t most : {3u, 7u, 8u, 15u, 16u}) {
    std::uint32_t words[8] = {};
    std::int32_t pairs[32] = {};
    Histogram expected, found, found_wide;
    for (unsigned i = 0; i < 64; ++i) {
      const std::uint32_t count = i == 11 ? most : static_cast<std::uint32_t>(random() % (most + 1));
      if (most < 16) words[i / 8] |= count << (i % 8 * 4);
      pairs[i / 2] =
          static_cast<std::int32_t>(static_cast<std::uint32_t>(pairs[i / 2]) | count << (i % 2 * 16));
      if (count != 0) ++expected[count];
    }
    kernels::FewPairs few, wide;
    wide.add(pairs, [&](std::uint32_t count) { ++found_wide[count]; });
    add_tallied(wide, found_wide);
    EXPECT_EQ(found_wide, expected) << most;
    if (most == 16) continue;
    few.add(words, [&](std::uint32_t count) { ++found[count]; });
    add_tallied(few, found);
    EXPECT_EQ(found, expected) << most;
  }
}

template <int tile_bits>
class RowBlock {
 public:
  using Thread = kernels::RowThread<tile_bits>;

  RowBlock(const SBox& box, std::uint32_t a, ThreadOrder order)
      : box_(box), a_(a), shared_(Thread::Tile::kSharedValues), order_(order) {
    for (const std::uint32_t value : box.values()) values_.push_back(static_cast<std::uint16_t>(value));
    for (unsigned thread = 0; thread < Thread::kThreads; ++thread) threads_.emplace_back(thread);
  }

  // Returns the counts of delta / 2.
  Histogram find(std::uint32_t& lightest, std::uint32_t& zero) {
    std::vector<std::uint64_t> found(kernels::kNearPairs + 1);
    bool far = false;
    std::ranges::fill(shared_, 0);
    phase([&](Thread& t, unsigned) {
      const kernels::ThreadRow row =
          t.count_and_find(values_.data(), box_.inputs(), a_, adder(), [&](std::uint32_t pairs) {
            pairs < kernels::kNearPairs ? void(++found[pairs]) : void(far = true);
          });
      for (unsigned i = 0; i < 3; ++i) found[i] += row.found[i];
      lightest = std::min(lightest, t.lightest(values_.data(), box_.inputs(), a_));
    });
    Histogram histogram;
    if (far) {
      phase([&](Thread& t, unsigned) {
        t.take(shared_.data());
        t.find_far([&](std::uint32_t pairs) { ++histogram[pairs], ++found[kernels::kNearPairs]; });
      });
    }
    for (std::uint32_t pairs = 1; pairs <= kernels::kNearPairs; ++pairs) {
      if (found[pairs - 1] != found[pairs]) histogram[pairs] = found[pairs - 1] - found[pairs];
    }
    zero = Thread::zero_of(shared_.data());
    return histogram;
  }

  // Sets `tallied` to the counts of delta / 2.
  std::vector<std::uint16_t> transform(bool& nonzero, Histogram& tallied) {
    std::ranges::fill(shared_, 0);
    phase([&](Thread& t, unsigned) { t.count(values_.data(), box_.inputs(), a_, adder()); });
    phase([&](Thread& t, unsigned) {
      t.take(shared_.data());
      kernels::FewPairs few;
      t.tally(few, [&](std::uint32_t pairs) { ++tallied[pairs]; });
      add_tallied(few, tallied);
    });
    phase([&](Thread& t, unsigned) { t.template step<0>(shared_.data()); });
    phase([&](Thread& t, unsigned) { t.template step<1>(shared_.data()); });
    phase([&](Thread& t, unsigned) { t.template step<2>(shared_.data()); });
    std::vector<std::uint32_t> words(std::size_t{1} << tile_bits);
    nonzero = false;
    phase([&](Thread& t, unsigned) {
      nonzero |= t.has_nonzero(box_.outputs());
      t.store(words.data());
    });
    std::vector<std::uint16_t> row(2 * words.size());
    for (std::uint32_t word = 0; word < words.size(); ++word) {
      const std::uint32_t b = kernels::stored_column(word, tile_bits);
      row[b] = static_cast<std::uint16_t>(words[word]);
      row[b + words.size()] = static_cast<std::uint16_t>(words[word] >> 16);
    }
    return row;
  }

 private:
  template <class Phase>
  void phase(Phase run) {
    run_phase(threads_, order_, run);
  }

  // Returns a function that adds to a word and returns its previous value.
  auto adder() {
    return [this](unsigned index, std::uint32_t word) {
      const auto before = static_cast<std::uint32_t>(shared_[index]);
      shared_[index] = static_cast<std::int32_t>(before + word);
      return before;
    };
  }

  const SBox& box_;
  std::uint32_t a_;
  std::vector<std::uint16_t> values_;
  std::vector<std::int32_t> shared_;
  std::vector<Thread> threads_;
  ThreadOrder order_;
};

template <int tile_bits>
void expect_row(const SBox& box, std::uint32_t a, ThreadOrder order) {
  RowBlock<tile_bits> block(box, a, order);
  std::vector<std::int32_t> delta(std::size_t{1} << box.outputs());
  ddt_row(box, a, delta);
  Histogram expected;
  std::uint32_t lightest = kernels::kNoWeight;
  for (std::uint32_t b = 0; b < delta.size(); ++b) {
    if (delta[b] == 0) continue;
    ++expected[delta[b] / 2];
    lightest = std::min(lightest, static_cast<std::uint32_t>(std::popcount(b)));
  }
  std::uint32_t found_lightest = kernels::kNoWeight, zero = 0;
  EXPECT_EQ(block.find(found_lightest, zero), expected) << a;
  EXPECT_EQ(zero, static_cast<std::uint32_t>(delta[0])) << a;
  EXPECT_EQ(found_lightest, lightest) << a;
  std::vector<std::int32_t> r(delta.size());
  autocorrelation_row(box, a, r);
  bool nonzero = false;
  Histogram tallied;
  const std::vector<std::uint16_t> magnitudes = block.transform(nonzero, tallied);
  EXPECT_EQ(tallied, expected) << a;
  for (std::size_t b = 0; b < magnitudes.size(); ++b)
    ASSERT_EQ(2 * magnitudes[b], std::abs(r[b % r.size()])) << a << ' ' << b;
  EXPECT_EQ(nonzero, std::any_of(r.begin() + 1, r.end(), [](std::int32_t value) { return value != 0; }));
}

TEST(RowAgent, CountsAndTransformsRows) {
  for (const std::uint32_t a : {1u, 2u, 3u, 4095u}) {
    expect_row<11>(random_box(12, 12), a, ThreadOrder::upwards);
    expect_row<11>(random_box(12, 5), a, ThreadOrder::downwards);
  }
  expect_row<13>(random_box(16, 14), 0x8001, ThreadOrder::upwards);
  expect_row<15>(random_box(16, 16), 0xffff, ThreadOrder::downwards);
  expect_row<15>(random_box(7, 16), 100, ThreadOrder::downwards);
}

// The counters have values around kNearPairs.
TEST(RowAgent, FindsEntriesNearAndFar) {
  for (const std::uint32_t size : {2047u, 2048u, 2049u, 2050u, 4096u}) {
    expect_row<15>(box_of(14, 16, [&](std::uint32_t x) { return x < size ? 0 : x * x * 40503u; }), 1,
                   ThreadOrder::upwards);
  }
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

// All pairs are in one counter, in either half of a word.
TEST(RowAgent, TakesRowsOfLinearBoxes) {
  expect_row<15>(box_of(16, 16, [](std::uint32_t x) { return x; }), 0x8000, ThreadOrder::upwards);
  expect_row<15>(box_of(16, 16, [](std::uint32_t x) { return x; }), 0x4321, ThreadOrder::upwards);
  expect_row<15>(box_of(16, 16, [](std::uint32_t) { return 5; }), 3, ThreadOrder::upwards);
}

// Returns a row's four-bit counters.
std::vector<std::uint32_t> nibbles_of(const SBox& box, std::uint32_t a) {
  std::vector<std::uint32_t> words(std::size_t{1} << (box.outputs() - 3));
  kernels::for_each_pair<1>(
      box.values().data(), 0, static_cast<std::uint32_t>(box.size() / 2), a,
      [&](std::uint32_t b) { words[kernels::nibble_word(b)] += kernels::nibble_one(b); });
  return words;
}

// Returns the words between the two passes.
std::vector<std::uint32_t> sparse_tiles(const std::vector<std::uint32_t>& nibbles, int high_bits,
                                        ThreadOrder order) {
  std::vector<std::uint32_t> row(nibbles.size() * 4);
  std::vector<std::int32_t> shared(kernels::SparseTileThread::kShared);
  for (std::uint32_t tile = 0; tile < std::uint32_t{1} << high_bits; ++tile) {
    std::vector<kernels::SparseTileThread> lanes;
    for (unsigned lane = 0; lane < kernels::kLanes; ++lane) lanes.emplace_back(lane);
    struct alignas(16) Words {
      std::uint32_t words[256];
    } words;
    std::copy_n(nibbles.begin() + tile * 256, 256, words.words);
    using Lane = kernels::SparseTileThread;
    std::vector<std::uint32_t> taken;
    const auto take = [&](const std::uint32_t(&mine)[8]) { taken.insert(taken.end(), mine, mine + 8); };
    run_phase(lanes, order, [&](Lane& l, unsigned) { l.load(words.words, take), l.put(shared.data()); });
    EXPECT_TRUE(std::ranges::is_permutation(taken, words.words));
    run_phase(lanes, order, [&](Lane& l, unsigned) { l.get(shared.data()); });
    run_phase(lanes, order, [&](Lane& l, unsigned) { l.store(row.data(), tile, high_bits); });
  }
  return row;
}

template <int high_bits>
void expect_sparse_row(const SBox& box, std::uint32_t a, ThreadOrder order) {
  ASSERT_EQ(box.outputs(), high_bits + kernels::kSparseTileBits);
  const std::vector<std::uint32_t> row = sparse_tiles(nibbles_of(box, a), high_bits, order);
  std::vector<std::int32_t> expected(std::size_t{1} << box.outputs());
  autocorrelation_row(box, a, expected);
  using Thread = kernels::SparseColumnThread<high_bits>;
  std::vector<Thread> threads;
  for (unsigned thread = 0; thread < kernels::kSparseThreads; ++thread) threads.emplace_back(thread);
  std::vector<std::int32_t> shared(Thread::kShared);
  std::vector<bool> seen(expected.size());
  for (std::uint32_t group = 0; group < kernels::sparse_groups(high_bits); ++group) {
    const std::uint32_t* const words = row.data() + (group * Thread::kEach << high_bits);
    run_phase(threads, order, [&](Thread& t, unsigned) { t.fetch(words), t.put(shared.data()); });
    run_phase(threads, order, [&](Thread& t, unsigned thread) {
      std::int32_t halves[32];
      t.get(shared.data(), halves);
      for (std::uint32_t i = 0; i < 32; ++i) {
        const std::uint32_t b =
            kernels::sparse_column((group * 32 + i) * kernels::kSparseThreads + thread, box.outputs());
        ASSERT_EQ(2 * halves[i], expected[b]) << a << ' ' << b;
        seen[b] = true;
      }
    });
  }
  EXPECT_EQ(std::ranges::count(seen, false), 0);
}

TEST(SparseRowAgent, TransformsRows) {
  expect_sparse_row<6>(random_box(15, 17), 0x4321, ThreadOrder::upwards);
  expect_sparse_row<7>(random_box(9, 18), 1, ThreadOrder::downwards);
  expect_sparse_row<8>(random_box(12, 19), 0xfff, ThreadOrder::upwards);
  expect_sparse_row<9>(random_box(10, 20), 3, ThreadOrder::downwards);
}

// Neighbouring entries have 15 pairs.
TEST(SparseRowAgent, TransformsFullCounters) {
  const SBox box = box_of(6, 17, [](std::uint32_t x) { return (x & 1) * (x < 30 ? 5 : x < 60 ? 4 : 0); });
  EXPECT_EQ(nibbles_of(box, 1)[0], 0x00ff0002u);
  expect_sparse_row<6>(box, 1, ThreadOrder::upwards);
}

// A counter of 16 pairs overflows, so that all counters add up to fewer pairs.
TEST(SparseRowAgent, SeesCountersThatHadTooLittleRoom) {
  for (const std::uint32_t last : {0u, 3u, 7u}) {
    const SBox box = box_of(6, 17, [&](std::uint32_t x) { return (x & 1) * (x < 32 ? last : 100); });
    const std::vector<std::uint32_t> row = sparse_tiles(nibbles_of(box, 1), 6, ThreadOrder::upwards);
    std::int32_t sum = 0;  // r(1,0) / 2
    for (std::uint32_t tile = 0; tile < 64; ++tile)
      sum += static_cast<std::int16_t>(row[kernels::sparse_place(tile, 0, 6)]);
    EXPECT_LT(sum, 32) << last;
  }
}

TEST(SparseRowAgent, SumsNearAndFarValuesUp) {
  std::mt19937 random(1);
  for (const std::uint32_t near : {kernels::kSparseNear, 31u}) {
    kernels::SparseSums sums;
    std::uint64_t squares[32] = {}, expected[32] = {};
    std::uint32_t largest[32] = {}, most[32] = {};
    for (std::uint32_t row = 0; row < kernels::kSparseRowsEach; ++row) {
      std::int32_t halves[32];
      for (unsigned i = 0; i < 32; ++i) {
        const bool far = random() % 100 == 0;
        halves[i] =
            static_cast<std::int32_t>(far ? random() % (1 << 20) : kernels::kSparseNear - random() % 3);
        if (random() % 2 == 0) halves[i] = -halves[i];
        const auto half = static_cast<std::uint32_t>(std::abs(halves[i]));
        expected[i] += std::uint64_t{half} * half;
        most[i] = std::max(most[i], half);
      }
      sums.add(halves, near, [&](unsigned i, std::uint32_t half) {
        EXPECT_GT(half, near);
        squares[i] += std::uint64_t{half} * half;
        largest[i] = std::max(largest[i], half);
      });
    }
    for (unsigned i = 0; i < 32; ++i) {
      EXPECT_EQ(squares[i] + sums.squares(i), expected[i]);
      EXPECT_EQ(std::max(largest[i], sums.largest(i)), most[i]);
    }
  }
}

// The sum of the squares of kSparseNear over all rows fits 32 bits; that of kSparseNear + 1 does not.
TEST(SparseRowAgent, PutsLargeSquaresApart) {
  for (const std::uint32_t half : {kernels::kSparseNear, kernels::kSparseNear + 1}) {
    kernels::SparseSums sums;
    std::uint64_t squares = 0;
    for (std::uint32_t row = 0; row < kernels::kSparseRowsEach; ++row) {
      std::int32_t halves[32] = {};
      halves[5] = -static_cast<std::int32_t>(half);
      sums.add(halves, kernels::kSparseNear,
               [&](unsigned, std::uint32_t far) { squares += std::uint64_t{far} * far; });
    }
    EXPECT_EQ(squares + sums.squares(5), kernels::kSparseRowsEach * std::uint64_t{half} * half);
  }
}

TEST(DegreeAgent, IsTheCpus) {
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

TEST(SmallAgent, RowsAndDegreesAreTheCpus) {
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
