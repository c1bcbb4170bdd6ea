// Compares the agents of rows that have few pairs per entry, on the host, with the rows of the CPU, which
// other tests compare with the definitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <random>

#include "fugu/spectral/sbox/autocorrelation.hpp"
#include "fugu/spectral/sbox/differential.hpp"
#include "kernels/sbox/row_agent.hpp"
#include "kernels/sbox/sparse_row_agent.hpp"
#include "kernels/sbox/sparse_row_launch.hpp"
#include "spectral/fake_block.hpp"
#include "spectral/made_boxes.hpp"

namespace fugu::spectral {
namespace {

using test::box_of;
using test::random_box;
using test::run_phase;
using test::ThreadOrder;

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
TEST(SparseRowAgent, NoticesCountersThatOverflow) {
  for (const std::uint32_t last : {0u, 3u, 7u}) {
    const SBox box = box_of(6, 17, [&](std::uint32_t x) { return (x & 1) * (x < 32 ? last : 100); });
    const std::vector<std::uint32_t> row = sparse_tiles(nibbles_of(box, 1), 6, ThreadOrder::upwards);
    std::int32_t sum = 0;  // r(1,0) / 2
    for (std::uint32_t tile = 0; tile < 64; ++tile)
      sum += static_cast<std::int16_t>(row[kernels::sparse_place(tile, 0, 6)]);
    EXPECT_LT(sum, 32) << last;
  }
}

TEST(SparseRowAgent, AddsUpNearAndFarValues) {
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
TEST(SparseRowAgent, AddsLargeSquaresSeparately) {
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

}  // namespace
}  // namespace fugu::spectral
