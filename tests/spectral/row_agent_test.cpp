// Compares the agents of the rows of S-box tables, on the host, with the rows of the CPU, which other tests
// compare with the definitions.
#include "kernels/sbox/row_agent.hpp"
#include "fugu/spectral/sbox/autocorrelation.hpp"
#include "fugu/spectral/sbox/differential.hpp"
#include "spectral/fake_block.hpp"
#include "spectral/made_boxes.hpp"
#include "support/testing.hpp"

namespace fugu::spectral {
namespace {

// Threads divide a row's pairs into parts of any length.
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

template <int tile_bits>
class RowBlock {
 public:
  using Thread = kernels::RowThread<tile_bits>;

  RowBlock(const SBox& box, std::uint32_t a, ThreadOrder order)
      : box_(box), a_(a), shared_(Thread::Tile::kSharedValues), order_(order) {
    for (const std::uint32_t value : box.values()) values_.push_back(static_cast<std::uint16_t>(value));
    for (unsigned thread = 0; thread < Thread::kThreads; ++thread) threads_.emplace_back(thread);
  }

  // Sets `tallied` to the counts of delta / 2.
  std::vector<std::uint16_t> transform(bool& nonzero, Histogram& tallied) {
    phase([&](Thread& t, unsigned) {
      t.count(values_.data(), box_.inputs(), a_, [this](unsigned index, std::uint32_t word) {
        shared_[index] = static_cast<std::int32_t>(static_cast<std::uint32_t>(shared_[index]) + word);
      });
      lightest_ = std::min(lightest_, t.lightest(values_.data(), box_.inputs(), a_));
    });
    zero_ = Thread::zero_of(shared_.data());
    kernels::PairTally tally;
    phase([&](Thread& t, unsigned) {
      t.take(shared_.data());
      t.tally(tally, [&](std::uint32_t pairs) { ++tallied[pairs]; });
    });
    for (std::uint32_t i = 0; i < 3; ++i) {
      if (tally.found[i] != 0) tallied[i + 1] = tally.found[i];
    }
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

  // After transform().
  std::uint32_t lightest() const { return lightest_; }
  std::uint32_t zero() const { return zero_; }

 private:
  template <class Phase>
  void phase(Phase run) {
    run_phase(threads_, order_, run);
  }

  const SBox& box_;
  std::uint32_t a_;
  std::vector<std::uint16_t> values_;
  std::vector<std::int32_t> shared_;
  std::vector<Thread> threads_;
  ThreadOrder order_;
  std::uint32_t lightest_ = kernels::kNoWeight;
  std::uint32_t zero_ = 0;
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
  std::vector<std::int32_t> r(delta.size());
  autocorrelation_row(box, a, r);
  bool nonzero = false;
  Histogram tallied;
  const std::vector<std::uint16_t> magnitudes = block.transform(nonzero, tallied);
  EXPECT_EQ(tallied, expected) << a;
  EXPECT_EQ(block.zero(), static_cast<std::uint32_t>(delta[0])) << a;
  EXPECT_EQ(block.lightest(), lightest) << a;
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

// All pairs are in one counter, in either half of a word.
TEST(RowAgent, TakesRowsOfLinearBoxes) {
  expect_row<15>(box_of(16, 16, [](std::uint32_t x) { return x; }), 0x8000, ThreadOrder::upwards);
  expect_row<15>(box_of(16, 16, [](std::uint32_t x) { return x; }), 0x4321, ThreadOrder::upwards);
  expect_row<15>(box_of(16, 16, [](std::uint32_t) { return 5; }), 3, ThreadOrder::upwards);
}

}  // namespace
}  // namespace fugu::spectral
