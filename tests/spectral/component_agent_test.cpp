// Compares the agents of components, on the host, with the transform of the CPU.
#include "kernels/sbox/component_agent.hpp"
#include "fugu/spectral/sbox/algebra.hpp"
#include "fugu/spectral/sbox/linear.hpp"
#include "fugu/spectral/walsh.hpp"
#include "kernels/sbox/box_agent.hpp"
#include "kernels/sbox/wide_component_agent.hpp"
#include "spectral/fake_block.hpp"
#include "spectral/made_boxes.hpp"
#include "support/many_cases.hpp"
#include "support/testing.hpp"

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

// A block of the kernel that transforms components.
template <int tile_bits>
class ComponentBlock {
 public:
  using Thread = kernels::ComponentThread<tile_bits>;

  ComponentBlock(const SBox& box, std::uint32_t first, ThreadOrder order)
      : words_(coordinate_words(box, tile_bits + 1)), shared_(Thread::Tile::kSharedValues), order_(order) {
    for (unsigned thread = 0; thread < Thread::kThreads; ++thread)
      threads_.emplace_back(words_.data(), thread, first);
  }

  // Returns the findings of the threads, which all compute `lightest` and the first place.
  kernels::ComponentFindings next(std::uint32_t i, bool is_first, Histogram& histogram) {
    for (Thread& thread : threads_) {
      if (!is_first) thread.advance(std::countr_zero(i));
      thread.load();
    }
    phase([&](Thread& t, unsigned) { t.template step<0>(shared_.data()); });
    phase([&](Thread& t, unsigned) { t.template step<1>(shared_.data()); });
    phase([&](Thread& t, unsigned) { t.template step<2>(shared_.data()); });
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
  template <class Phase>
  void phase(Phase run) {
    run_phase(threads_, order_, run);
  }

  std::vector<std::uint32_t> words_;
  std::vector<std::int32_t> shared_;
  std::vector<Thread> threads_;
  ThreadOrder order_;
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

}  // namespace
}  // namespace fugu::spectral
