// Compares tiles of the transforms over groups, on the host, with the transforms of the CPU.
#include "kernels/group/group_agent.hpp"

#include "fugu/spectral/cuda/detail/group_plan.hpp"
#include "fugu/spectral/groups/vilenkin_chrestenson.hpp"
#include "support/testing.hpp"

namespace fugu::spectral {
namespace {

constexpr unsigned kThreads = 7;

// Each phase runs one thread after the other, upwards or downwards. The results would differ if a phase read
// what another thread writes in it.
template <class Ring, class Value>
void run_pass(const Ring& ring, std::uint32_t modulus, const kernels::GroupPass& pass,
              std::vector<Value>& data, bool upwards) {
  const std::uint64_t groups = (pass.stride + pass.columns - 1) / pass.columns;
  const std::uint64_t of_tile = std::uint64_t{pass.rows} * pass.repeats * pass.stride;
  const std::uint64_t tiles = (data.size() + of_tile - 1) / of_tile * groups;
  std::vector<Value> shared(std::size_t{pass.rows} * pass.repeats * pass.columns);
  for (std::uint64_t number = 0; number < tiles; ++number) {
    const auto phase = [&](auto run) {
      for (unsigned i = 0; i < kThreads; ++i) {
        const unsigned thread = upwards ? i : kThreads - 1 - i;
        run(kernels::GroupTile<Ring>(ring, modulus, pass, number, data.size(), thread, kThreads));
      }
    };
    phase([&](const auto& tile) { tile.load(data.data(), shared.data()); });
    for (int end = pass.axes; end > 0;) {
      const int count = kernels::GroupTile<Ring>::stage_axes(pass, end);
      phase([&](const auto& tile) { tile.stage(shared.data(), end, count); });
      end -= count;
    }
    phase([&](const auto& tile) { tile.store(data.data(), shared.data()); });
  }
}

template <class Ring, class Value>
void run_plan(const Ring& ring, const CharacterGroup& group, std::size_t value_bytes,
              std::vector<Value>& data) {
  bool upwards = true;
  for (const cuda::GroupStep& step : cuda::plan_group(group, value_bytes)) {
    if (step.in_tiles) {
      run_pass(ring, group.modulus(), step.pass, data, upwards);
    } else {
      const std::vector<Value> in = data;
      for (std::size_t i = 0; i < data.size(); ++i)
        data[i] =
            kernels::axis_result(ring, group.modulus(), step.pass.radix[0], step.pass.stride, in.data(), i);
    }
    upwards = !upwards;
  }
}

// Large `value_bytes` make tiles small, so that there are several passes.
void expect_spectrum(const char* name, std::size_t rows, std::size_t value_bytes) {
  SCOPED_TRACE(name);
  const CharacterGroup group = CharacterGroup::parse(name);
  std::mt19937 random(6);
  std::vector<std::complex<double>> values(rows * static_cast<std::size_t>(group.order()));
  for (auto& value : values)
    value = {static_cast<double>(random() % 1000), static_cast<double>(random() % 1000)};
  std::vector<std::complex<double>> expected = values;
  vilenkin_chrestenson(group, std::span(expected), {.threads = 1});
  std::vector<kernels::ComplexValue<double>> data, roots;
  for (const auto& value : values) data.push_back({value.real(), value.imag()});
  for (const auto& root : roots_of_unity<double>(group.modulus()))
    roots.push_back({root.real(), -root.imag()});
  run_plan(kernels::ComplexRing<double>{roots.data(), 1}, group, value_bytes, data);
  for (std::size_t i = 0; i < data.size(); ++i) {
    EXPECT_NEAR(data[i].re, expected[i].real(), 1e-6);
    EXPECT_NEAR(data[i].im, expected[i].imag(), 1e-6);
  }
}

TEST(GroupAgent, SpectraAreTheCpus) {
  expect_spectrum("3^7", 1, 4);
  expect_spectrum("3^8", 1, 2000);
  expect_spectrum("3^5", 3, 200);
  expect_spectrum("2^9", 2, 500);
  expect_spectrum("2x3x4x5x7", 2, 4);
  expect_spectrum("6x2^3x3^2x11", 1, 4000);
  expect_spectrum("5^3x13", 1, 1000);
  expect_spectrum("7x7x4", 1, 1000);
  expect_spectrum("37x3", 2, 4);
  expect_spectrum("3x101x2", 1, 4);
  expect_spectrum("1x3x1", 5, 4);
}

// 3^16 complex64 values take two passes.
TEST(GroupPlan, TakesAsManyAxesAsFit) {
  const auto steps = cuda::plan_group(CharacterGroup::parse("3^16"), 8);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].pass.axes, 9);
  EXPECT_EQ(steps[1].pass.axes, 7);
  EXPECT_EQ(steps[1].pass.stride, 19683u);
}

}  // namespace
}  // namespace fugu::spectral
