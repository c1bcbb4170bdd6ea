// S-boxes on a GPU beside the CPU's answers, which other tests hold to the definitions.
#include <random>

#include "fugu/spectral/cuda/sbox.hpp"
#include "spectral/gpu_fixture.hpp"
#include "spectral/usage_error.hpp"

namespace fugu::spectral {
namespace {

using SBoxGpu = test::Gpu;

template <class Value>
SBox box_of(int inputs, int outputs, Value value) {
  std::vector<std::uint32_t> values(std::size_t{1} << inputs);
  for (std::uint32_t x = 0; x < values.size(); ++x) values[x] = value(x);
  return {inputs, outputs, std::move(values)};
}

void expect_same(const SBox& box, const device::Stream& stream) {
  const ExhaustiveProfile gpu = cuda::exhaustive_components(box, stream);
  const ExhaustiveProfile cpu = exhaustive_components(box);
  EXPECT_EQ(gpu.nonlinearities, cpu.nonlinearities);
  EXPECT_EQ(gpu.linearity, cpu.linearity);
  EXPECT_EQ(gpu.masks, cpu.masks);
}

TEST_F(SBoxGpu, ProfilesOfRandomBoxesAreTheCpus) {
  std::mt19937 random(1);
  for (int inputs = 1; inputs <= 8; ++inputs) {
    for (const int outputs : {8, 9, 15, 20})
      expect_same(
          box_of(inputs, outputs,
                 [&](std::uint32_t) { return static_cast<std::uint32_t>(random() & ((1u << outputs) - 1)); }),
          *stream);
  }
}

// So many components reach the largest coefficient that there is no room to list them.
TEST_F(SBoxGpu, ProfilesOfDegenerateBoxesAreTheCpus) {
  expect_same(box_of(8, 20, [](std::uint32_t) { return 0x5a5a5u; }), *stream);
  expect_same(box_of(8, 20, [](std::uint32_t x) { return x << 12 | x; }), *stream);
  expect_same(box_of(8, 20, [](std::uint32_t x) { return x * x % 251 << 12; }), *stream);
  expect_same(box_of(3, 18, [](std::uint32_t x) { return x * x * x % 7; }), *stream);
}

TEST_F(SBoxGpu, OtherShapesAreRefused) {
  const SBox wide = box_of(9, 9, [](std::uint32_t x) { return x; });
  EXPECT_EQ(test::usage_error([&] { (void)cuda::exhaustive_components(wide, *stream); }),
            "all components on a gpu: of at most 8 inputs and at least 8 outputs");
}

}  // namespace
}  // namespace fugu::spectral
