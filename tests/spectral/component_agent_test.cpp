// Compares the agents of components, on the host, with the transform of the CPU.
#include "kernels/sbox/component_agent.hpp"

#include "fugu/spectral/sbox/algebra.hpp"
#include "fugu/spectral/sbox/autocorrelation.hpp"
#include "fugu/spectral/sbox/differential.hpp"
#include "fugu/spectral/sbox/linear.hpp"
#include "kernels/sbox/box_agent.hpp"
#include "kernels/sbox/row_agent.hpp"
#include "kernels/sbox/wide_component_agent.hpp"
#include "spectral/support.hpp"

namespace fugu::spectral {
namespace {

// Returns W / 2 of the counter at this offset in bytes.
std::int32_t half_at(std::uint32_t offset) {
  static const std::vector<std::int32_t> halves = [] {
    std::vector<std::int32_t> result(kernels::kNearPlaces);
    for (std::uint32_t place = 0; place < kernels::kNearPlaces; ++place)
      result[kernels::near_index(place)] = static_cast<std::int32_t>(place) - kernels::kNearHalf;
    return result;
  }();
  EXPECT_EQ(offset % 4, 0u);
  return halves.at(offset / 4);
}

// The threads of a block that transform a tile.
template <class Thread>
class TileBlock {
 protected:
  explicit TileBlock(ThreadOrder order) : shared_(Thread::Tile::kSharedValues), order_(order) {}

  template <class Phase>
  void phase(Phase run) {
    run_phase(threads_, order_, run);
  }
  void transform_tile() {
    phase([&](Thread& t, unsigned) { t.template step<0>(shared_.data()); });
    phase([&](Thread& t, unsigned) { t.template step<1>(shared_.data()); });
    phase([&](Thread& t, unsigned) { t.template step<2>(shared_.data()); });
  }

  std::vector<std::int32_t> shared_;
  std::vector<Thread> threads_;

 private:
  ThreadOrder order_;
};

// A block of the kernel that transforms components.
template <int tile_bits, class Thread = kernels::ComponentThread<tile_bits>>
class ComponentBlock : TileBlock<Thread> {
  using TileBlock<Thread>::phase, TileBlock<Thread>::threads_;

 public:
  ComponentBlock(const SBox& box, std::uint32_t first, ThreadOrder order)
      : TileBlock<Thread>(order), words_(coordinate_words(box, tile_bits + 1)) {
    for (unsigned thread = 0; thread < Thread::kThreads; ++thread)
      threads_.emplace_back(words_.data(), thread, first);
  }

  // Returns the findings of the threads, which all compute `lightest` and the first place.
  kernels::ComponentFindings next(std::uint32_t i, bool is_first, Histogram& histogram) {
    for (Thread& thread : threads_) {
      if (!is_first) thread.advance(std::countr_zero(i));
      thread.load();
    }
    this->transform_tile();
    std::vector<std::uint32_t> largest(threads_.size());
    std::map<std::uint32_t, std::uint64_t> near;
    phase([&](Thread& t, unsigned thread) {
      largest[thread] = t.find([&](std::uint32_t two) { ++near[two & 0xffffu], ++near[two >> 16]; },
                               [&](std::int32_t half) { ++histogram[2 * half]; });
    });
    for (const auto& [offset, times] : near) histogram[2 * half_at(offset)] += times;
    const std::uint32_t most = std::ranges::max(largest);
    kernels::ComponentFindings findings{0, 0, kernels::kNoWeight, 0};
    std::uint32_t first = kernels::kNoInput;
    bool one_bit = false;
    phase([&](Thread& t, unsigned thread) {
      if (largest[thread] == most) first = std::min(first, t.first_place(most));
      findings.lightest = std::min(findings.lightest, t.lightest());
      one_bit |= t.has_one_bit();
    });
    EXPECT_EQ(one_bit, findings.lightest == 1);
    findings.peak = kernels::peak_key(2 * most, first);
    findings.balanced = threads_[0].balanced() ? 1 : 0;
    return findings;
  }

  std::uint32_t mask() { return threads_[0].mask(); }

 private:
  std::vector<std::uint32_t> words_;
};

// Returns W(., b), computed from the definition of a component by the transform of the CPU.
std::vector<std::int32_t> spectrum_of(const SBox& box, std::uint32_t mask) {
  return walsh_spectrum(component(box, mask), {.threads = 1});
}

template <int tile_bits>
void expect_components(const SBox& box, std::uint32_t first, std::uint32_t last, ThreadOrder order) {
  ASSERT_EQ(box.inputs(), tile_bits + 1);
  ComponentBlock<tile_bits> block(box, first, order);
  for (std::uint32_t i = first; i < last; ++i) {
    Histogram histogram;
    const kernels::ComponentFindings found = block.next(i, i == first, histogram);
    ASSERT_EQ(block.mask(), i ^ i / 2);
    const std::vector<std::int32_t> spectrum = spectrum_of(box, block.mask());
    Histogram expected;
    std::uint32_t largest = 0, lightest = kernels::kNoWeight;
    for (std::uint32_t a = 0; a < spectrum.size(); ++a) {
      largest = std::max(largest, static_cast<std::uint32_t>(std::abs(spectrum[a])));
      ++expected[spectrum[a]];
      if (spectrum[a] != 0 && a != 0)
        lightest = std::min(lightest, static_cast<std::uint32_t>(std::popcount(a)));
    }
    std::uint32_t a = 0;
    while (static_cast<std::uint32_t>(std::abs(spectrum[a])) != largest) ++a;
    EXPECT_EQ(kernels::largest_of(found), largest) << block.mask();
    EXPECT_EQ(kernels::first_of(found), 2 * a + (spectrum[a] < 0 ? 1 : 0)) << block.mask();
    EXPECT_EQ(found.lightest, lightest) << block.mask();
    EXPECT_EQ(found.balanced, spectrum[0] == 0 ? 1u : 0u) << block.mask();
    EXPECT_EQ(histogram, expected) << block.mask();
  }
}

TEST(ComponentAgent, FindsWhatTheTransformHolds) {
  expect_components<11>(random_box(12, 12), 0, 9, ThreadOrder::upwards);
  expect_components<11>(random_box(12, 20), 1'000'000, 1'000'005, ThreadOrder::downwards);
  expect_components<13>(random_box(14, 9), 500, 504, ThreadOrder::upwards);
  expect_components<15>(random_box(16, 16), 65'532, 65'536, ThreadOrder::downwards);
}

// The low or high integer of some words is as large as possible.
TEST(ComponentAgent, FindsAffineComponents) {
  expect_components<15>(box_of(16, 3, [](std::uint32_t x) { return x >> 14 | x << 2; }), 0, 8,
                        ThreadOrder::upwards);
  expect_components<15>(box_of(16, 2, [](std::uint32_t x) { return std::popcount(x) | 2; }), 0, 4,
                        ThreadOrder::upwards);
  expect_components<11>(box_of(12, 2, [](std::uint32_t x) { return std::popcount(x & x >> 6 & 63) + 2; }), 0,
                        4, ThreadOrder::upwards);
}

// The findings are computed by the definition of a spectrum, with W `scale` times as large.
void expect_summaries(const SBox& box, std::uint32_t scale) {
  const Linear expected = linear(box);
  std::uint64_t peak = 0;
  for (std::uint32_t b = 1; b >> box.outputs() == 0; ++b) {
    const std::vector<std::int32_t> spectrum = spectrum_of(box, b);
    kernels::ComponentFindings found{0, 0, kernels::kNoWeight, spectrum[0] == 0 ? 1u : 0u};
    for (std::uint32_t a = 0; a < spectrum.size(); ++a) {
      if (spectrum[a] == 0) continue;
      const std::uint32_t largest = scale * static_cast<std::uint32_t>(std::abs(spectrum[a]));
      found.peak = std::max(found.peak, kernels::peak_key(largest, 2 * a + (spectrum[a] < 0 ? 1 : 0)));
      ++found.nonzero;
      if (a != 0) found.lightest = std::min(found.lightest, static_cast<std::uint32_t>(std::popcount(a)));
    }
    const kernels::ComponentSummary summary = kernels::summary_of(found, box.inputs(), scale);
    const LinearComponent component{summary.largest, summary.correlation_immunity, summary.balanced != 0,
                                    summary.plateaued != 0};
    EXPECT_EQ(component, expected.components[b]) << b;
    peak = std::max(peak, kernels::peak_of(summary.largest, kernels::first_of(found), b));
  }
  const kernels::Peak at = kernels::peak_at(peak);
  EXPECT_EQ(at.largest, expected.linearity);
  EXPECT_EQ(at.a, expected.first_a);
  EXPECT_EQ(at.b, expected.first_b);
  const auto value = static_cast<std::int32_t>(at.largest);
  EXPECT_EQ(at.negative ? -value : value, expected.first_value);
}

TEST(SummaryAgent, EqualsTheCpus) {
  for (const std::uint32_t scale : {1u, 8u}) {
    expect_summaries(random_box(7, 5), scale);
    expect_summaries(box_of(6, 6, [](std::uint32_t x) { return x; }), scale);
    expect_summaries(box_of(8, 4, [](std::uint32_t x) { return (x & x >> 4) ^ 9; }), scale);  // bent
    expect_summaries(box_of(5, 3, [](std::uint32_t) { return 6; }), scale);
  }
  const kernels::Peak whole = kernels::peak_at(kernels::peak_of(1 << 20, (1 << 21) - 1, (1 << 20) - 1));
  EXPECT_EQ(whole.largest, 1u << 20);
  EXPECT_EQ(whole.a, (1u << 20) - 1);
  EXPECT_EQ(whole.b, (1u << 20) - 1);
  EXPECT_TRUE(whole.negative);
}

// Returns W(., b) after the stages below bit 14, computed by the transform of the CPU.
std::vector<std::int16_t> first_stages(const SBox& box, std::uint32_t mask) {
  const TruthTable function = component(box, mask);
  std::vector<std::int32_t> values(box.size());
  for (std::size_t x = 0; x < values.size(); ++x) values[x] = function[x] ? -1 : 1;
  for (std::size_t first = 0; first < values.size(); first += 1 << 14)
    walsh(std::span(values).subspan(first, 1 << 14), 14);
  return {values.begin(), values.end()};
}

template <int inputs>
void expect_wide_component(const SBox& box, std::uint32_t mask) {
  ASSERT_EQ(box.inputs(), inputs);
  using Thread = kernels::WideThread<inputs>;
  const std::vector<std::int16_t> narrow = first_stages(box, mask);
  const std::vector<std::int32_t> spectrum = spectrum_of(box, mask);
  Histogram histogram, expected;
  std::uint32_t nonzero = 0, lightest = kernels::kNoWeight, expected_lightest = kernels::kNoWeight;
  for (std::uint32_t part = 0; part < 2 * Thread::kPlaces; ++part) {
    const Thread thread(narrow.data(), part / 2, part % 2);
    const kernels::ThreadFindings found = thread.find([&](std::int32_t half) { ++histogram[2 * half]; });
    nonzero += found.nonzero;
    lightest = std::min(lightest, thread.lightest());
    std::uint32_t largest = 0, first = kernels::kNoInput;
    const auto half = static_cast<std::uint32_t>(spectrum.size() / 2);
    for (std::uint32_t a = part / 2 + part % 2 * half; a < (part % 2 + 1) * half; a += Thread::kPlaces) {
      if (const auto here = static_cast<std::uint32_t>(std::abs(spectrum[a])); here > largest) {
        largest = here;
        first = 2 * a + (spectrum[a] < 0 ? 1 : 0);
      }
      const auto weight = static_cast<std::uint32_t>(std::popcount(a));
      ASSERT_LE(thread.least_weight(), weight);
      ++expected[spectrum[a]];
      if (spectrum[a] != 0 && a != 0) expected_lightest = std::min(expected_lightest, weight);
    }
    ASSERT_EQ(2 * found.largest, largest) << part;
    if (largest != 0) {
      ASSERT_EQ(thread.first_place(found.largest), first) << part;
    }
    if (part == 0) {
      EXPECT_EQ(thread.balanced(), spectrum[0] == 0);
    }
  }
  EXPECT_EQ(histogram, expected);
  EXPECT_EQ(lightest, expected_lightest);
  EXPECT_EQ(nonzero, spectrum.size() - expected[0]);
}

TEST(WideAgent, FindsWhatTheTransformHolds) {
  expect_wide_component<17>(random_box(17, 3), 5);
  expect_wide_component<18>(random_box(18, 2), 3);
  expect_wide_component<20>(random_box(20, 1), 1);
  expect_wide_component<17>(box_of(17, 2, [](std::uint32_t x) { return x >> 16 | (x & 2); }), 3);  // affine
  expect_wide_component<18>(box_of(18, 1, [](std::uint32_t x) { return std::popcount(x & x >> 9 & 511); }),
                            1);
}

TEST(WideAgent, AddsCoordinatesUp) {
  const SBox box = random_box(9, 6);
  const std::vector<std::uint32_t> words = coordinate_words(box, 9);
  for (std::uint32_t mask = 0; mask < 64; ++mask) {
    for (std::uint32_t x = 0; x < box.size(); ++x)
      ASSERT_EQ(kernels::combined_word(words.data(), 16, 6, mask, x / 32) >> (x % 32) & 1,
                static_cast<std::uint32_t>(std::popcount(box[x] & mask) % 2));
  }
}

// ---- rows of S-box tables, and those of the CPU, which other tests compare with the definitions ----

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

template <int tile_bits, class Thread = kernels::RowThread<tile_bits>>
class RowBlock : TileBlock<Thread> {
  using TileBlock<Thread>::phase, TileBlock<Thread>::shared_;

 public:
  RowBlock(const SBox& box, std::uint32_t a, ThreadOrder order) : TileBlock<Thread>(order), box_(box), a_(a) {
    for (const std::uint32_t value : box.values()) values_.push_back(static_cast<std::uint16_t>(value));
    for (unsigned thread = 0; thread < Thread::kThreads; ++thread) this->threads_.emplace_back(thread);
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
    this->transform_tile();
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
  const SBox& box_;
  std::uint32_t a_;
  std::vector<std::uint16_t> values_;
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
