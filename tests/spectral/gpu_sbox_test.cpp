// Compares the S-box laboratory on a GPU with the results of the CPU, which other tests compare with the
// definitions.
#include "fugu/spectral/cuda/sbox.hpp"
#include "fugu/spectral/named/named.hpp"
#include "spectral/gpu_fixture.hpp"

namespace fugu::spectral {
namespace {

using SBoxGpu = test::Gpu;

void expect_same(const SBox& box, const device::Stream& stream) {
  const ExhaustiveProfile gpu = cuda::exhaustive_components({box, stream});
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

// More components reach the largest coefficient than the list holds.
TEST_F(SBoxGpu, ProfilesOfDegenerateBoxesAreTheCpus) {
  expect_same(box_of(8, 20, [](std::uint32_t) { return 0x5a5a5u; }), *stream);
  expect_same(box_of(8, 20, [](std::uint32_t x) { return x << 12 | x; }), *stream);
  expect_same(box_of(8, 20, [](std::uint32_t x) { return x * x % 251 << 12; }), *stream);
  expect_same(box_of(3, 18, [](std::uint32_t x) { return x * x * x % 7; }), *stream);
}

void expect_same_differences(const SBox& box, const device::Stream& stream) {
  SCOPED_TRACE(std::to_string(box.inputs()) + " x " + std::to_string(box.outputs()));
  const cuda::DifferenceTables both = cuda::difference_tables({box, stream});
  EXPECT_EQ(both.differential, differential(box));
  EXPECT_EQ(both.autocorrelation, autocorrelation(box));
}

void expect_same_tables(const SBox& box, const device::Stream& stream) {
  SCOPED_TRACE(std::to_string(box.inputs()) + " x " + std::to_string(box.outputs()));
  EXPECT_EQ(cuda::linear({box, stream}), linear(box));
  EXPECT_EQ(cuda::component_degrees({box, stream}), component_degrees(box));
  expect_same_differences(box, stream);
}

TEST_F(SBoxGpu, TablesOfRandomBoxesAreTheCpus) {
  std::mt19937 random(2);
  constexpr int kShapes[][2] = {{1, 1},  {2, 3},  {3, 8},   {5, 5},   {8, 8},   {8, 12}, {10, 7},
                                {6, 16}, {11, 4}, {12, 12}, {13, 13}, {14, 10}, {16, 3}, {15, 14}};
  for (const auto& [inputs, outputs] : kShapes)
    expect_same_tables(random_box(inputs, outputs, random), *stream);
}

TEST_F(SBoxGpu, BoomerangsOfPermutationsAreTheCpus) {
  std::mt19937 random(5);
  std::vector<SBox> boxes;
  for (int bits = 1; bits <= 16; ++bits) boxes.push_back(random_permutation(bits, random));
  for (const char* const name :
       {"AES", "PRESENT", "power:11:2046", "power:9:5", "power:13:3", "power:16:65534"})
    boxes.push_back(named_box(name).value());
  boxes.push_back(box_of(11, 11, [](std::uint32_t x) { return x ^ x >> 3 ^ 5; }));  // affine, so one group
  for (const SBox& box : boxes) {
    SCOPED_TRACE(std::to_string(box.inputs()) + " bits");
    EXPECT_EQ(cuda::boomerang({box, *stream}), boomerang(box));
  }
}

TEST_F(SBoxGpu, BoomerangsOfWidePermutationsAreTheCpus) {
  std::mt19937 random(6);
  const SBox box = random_permutation(17, random);
  EXPECT_EQ(cuda::boomerang({box, *stream}), boomerang(box));
}

TEST_F(SBoxGpu, BoomerangsOfOthersAreTheCpus) {
  std::mt19937 random(7);
  EXPECT_EQ(cuda::boomerang({random_box(9, 9, random), *stream}), std::nullopt);
  EXPECT_EQ(cuda::boomerang({random_box(8, 9, random), *stream}), std::nullopt);
  EXPECT_EQ(cuda::boomerang({box_of(17, 17, [](std::uint32_t) { return 1u; }), *stream}), std::nullopt);
}

TEST_F(SBoxGpu, TransparencyOrdersAreTheCpus) {
  std::mt19937 random(9);
  constexpr int kShapes[][2] = {{1, 1}, {1, 3}, {2, 2},  {3, 8},  {4, 4},   {5, 5},   {6, 1},
                                {8, 8}, {9, 3}, {5, 16}, {7, 13}, {12, 12}, {13, 10}, {17, 4}};
  for (const auto& [inputs, outputs] : kShapes) {
    const SBox box = random_box(inputs, outputs, random);
    EXPECT_EQ(cuda::transparency_order({box, *stream}), transparency_order(box))
        << inputs << " x " << outputs;
  }
  const SBox affine = box_of(20, 3, [](std::uint32_t x) { return x >> 17; });  // the largest possible sums
  EXPECT_EQ(cuda::transparency_order({affine, *stream}), transparency_order(affine));
  const cuda::DeviceBox wide(random_box(3, 17, random), *stream);
  EXPECT_EQ(test::usage_error([&] { cuda::transparency_order(wide); }),
            "the transparency order of 17 outputs on a GPU");
}

TEST_F(SBoxGpu, CallsStop) {
  std::mt19937 random(8);
  const std::stop_token stop = fugu::test::stopped();
  for (const int bits : {8, 16, 17}) {
    const cuda::DeviceBox box(random_permutation(bits, random), *stream);
    test::expect_interrupted([&] { (void)cuda::linear(box, stop); });
    test::expect_interrupted([&] { (void)cuda::difference_tables(box, stop); });
    test::expect_interrupted([&] { (void)cuda::boomerang(box, stop); });
  }
}

// Another thread requests the stop long before the calls would end.
TEST_F(SBoxGpu, LongCallsStop) {
  std::mt19937 random(12);
  const cuda::DeviceBox box(random_permutation(20, random), *stream);
  const auto stopped = [](auto call) {
    std::stop_source stop;
    std::jthread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      stop.request_stop();
    });
    test::expect_interrupted([&] { (void)call(stop.get_token()); });
  };
  stopped([&](const std::stop_token& stop) { return cuda::linear(box, stop); });
  stopped([&](const std::stop_token& stop) { return cuda::difference_tables(box, stop); });
}

template <class T>
void expect_taken(const SBox& box, const device::Buffer<T>& there, const device::Stream& stream) {
  const device::DeviceSpan<const T> values = there.span();
  const auto taken = cuda::DeviceBox::of_values<T>(values, std::nullopt, stream);
  EXPECT_EQ(taken.outputs(), box.outputs());
  EXPECT_EQ(taken.to_host(), box);
  EXPECT_EQ(cuda::linear(taken), linear(box));
  EXPECT_EQ(cuda::difference_tables(taken).differential, differential(box));
  EXPECT_EQ(cuda::DeviceBox::of_values<T>(values, 32, stream).outputs(), 32);
  EXPECT_EQ(
      test::usage_error([&] { (void)cuda::DeviceBox::of_values<T>(values, box.outputs() - 1, stream); }),
      "a value of 7 bits does not fit 6 outputs");
}

// The boxes' values are in device memory only, until results are compared.
TEST_F(SBoxGpu, TakesValuesOfEveryIntegerThatLieThere) {
  std::mt19937 random(5);
  const SBox box = random_box(7, 7, random);
  const auto values = [&]<class T>(T) {
    return upload(std::vector<T>(box.values().begin(), box.values().end()));
  };
  const auto expect = [&](auto type) { expect_taken(box, values(type), *stream); };
  expect(std::int8_t{}), expect(std::int16_t{}), expect(std::int32_t{}), expect(std::int64_t{});
  expect(std::uint8_t{}), expect(std::uint16_t{}), expect(std::uint32_t{}), expect(std::uint64_t{});
}

template <class T>
std::string refusal(const device::Buffer<T>& there, std::optional<int> outputs,
                    const device::Stream& stream) {
  return test::usage_error([&] { (void)cuda::DeviceBox::of_values<T>(there.span(), outputs, stream); });
}

TEST_F(SBoxGpu, RefusesWhatIsNoBox) {
  const auto of_values = [&](std::vector<std::int64_t> values, std::optional<int> outputs = std::nullopt) {
    return refusal(upload(values), outputs, *stream);
  };
  EXPECT_EQ(of_values({1, 2, 3}), "3 values are not a power of two, 2 to 2^20");
  EXPECT_EQ(of_values({1}), "1 values are not a power of two, 2 to 2^20");
  EXPECT_EQ(of_values(std::vector<std::int64_t>(1 << 21)), "21 inputs: 1 to 20 are possible");
  EXPECT_EQ(of_values({0, 1, 1, 0}), "no value has more than 1 bits; give the number of outputs: 1 or 2");
  EXPECT_EQ(of_values({0, 1, -1, 3}), "a value is below 0 or above 32 bits");
  EXPECT_EQ(of_values({0, std::int64_t{1} << 32, 1, 3}), "a value is below 0 or above 32 bits");
  EXPECT_EQ(of_values({0, 1, 2, 3}, 33), "33 outputs: 1 to 32 are possible");
  EXPECT_EQ(of_values({0, 1, 2, 3}, 0), "0 outputs: 1 to 32 are possible");
}

TEST_F(SBoxGpu, TablesOf16InputsAndOutputsAreTheCpus) {
  std::mt19937 random(3);
  expect_same_tables(random_box(16, 16, random), *stream);
}

TEST_F(SBoxGpu, TablesOfDegenerateBoxesAreTheCpus) {
  expect_same_tables(box_of(12, 12, [](std::uint32_t x) { return x; }), *stream);
  expect_same_tables(box_of(12, 6, [](std::uint32_t) { return 33u; }), *stream);
  expect_same_tables(box_of(16, 8, [](std::uint32_t x) { return x >> 8; }), *stream);
  expect_same_tables(box_of(16, 4, [](std::uint32_t x) { return x * x >> 3 & 15; }), *stream);
  expect_same_tables(box_of(14, 7, [](std::uint32_t x) { return (x & x >> 7) & 127; }), *stream);  // bent
}

TEST_F(SBoxGpu, ManySmallBoxesAreTheCpus) {
  std::mt19937 random(4);
  constexpr int kShapes[][2] = {{8, 8}, {8, 3}, {4, 4}, {1, 8}, {6, 5}};
  for (const auto& [inputs, outputs] : kShapes) {
    std::vector<std::uint8_t> values;
    std::vector<cuda::SmallBoxSummary> expected;
    for (int i = 0; i < 1000; ++i) {
      const SBox box = i == 0 ? box_of(inputs, outputs, [](std::uint32_t) { return 1u; })
                              : random_box(inputs, outputs, random);
      for (const std::uint32_t value : box.values()) values.push_back(static_cast<std::uint8_t>(value));
      expected.push_back({static_cast<std::uint16_t>(linear(box).linearity),
                          static_cast<std::uint16_t>(differential(box).uniformity),
                          static_cast<std::int8_t>(degree(box))});
    }
    EXPECT_EQ(cuda::summarize_boxes(inputs, outputs, values, *stream), expected)
        << inputs << " x " << outputs;
  }
}

// Boxes have many inputs or outputs or both. Counters of rows are in shared or in device memory.
TEST_F(SBoxGpu, TablesOfWideBoxesAreTheCpus) {
  std::mt19937 random(6);
  constexpr int kShapes[][2] = {{1, 17}, {3, 20}, {7, 18}, {12, 17}, {17, 1}, {17, 3}, {17, 9}};
  for (const auto& [inputs, outputs] : kShapes)
    expect_same_tables(random_box(inputs, outputs, random), *stream);
  expect_same_tables(box_of(5, 20, [](std::uint32_t) { return 0xfffffu; }), *stream);
  expect_same_tables(box_of(17, 2, [](std::uint32_t x) { return x >> 15; }), *stream);
}

TEST_F(SBoxGpu, TablesOf17InputsAndOutputsAreTheCpus) {
  std::mt19937 random(7);
  expect_same_tables(random_box(17, 17, random), *stream);
}

TEST_F(SBoxGpu, SpectraOf18To20InputsAreTheCpus) {
  std::mt19937 random(8);
  for (const int inputs : {18, 19, 20}) {
    for (const int outputs : {1, 2, 6}) {
      const SBox box = random_box(inputs, outputs, random);
      EXPECT_EQ(cuda::linear({box, *stream}), linear(box)) << inputs << " x " << outputs;
      EXPECT_EQ(cuda::component_degrees({box, *stream}), component_degrees(box));
    }
    // The components are affine, bent and constant.
    const SBox plain = box_of(inputs, 4, [&](std::uint32_t x) {
      return (static_cast<std::uint32_t>(std::popcount(x & x >> 10)) & 1) | (x >> (inputs - 1)) << 1 | 8;
    });
    EXPECT_EQ(cuda::linear({plain, *stream}), linear(plain)) << inputs;
  }
}

// x^-1 over GF(2^20): the Walsh coefficients are all the multiples of 4 from 1 - 2^11 to 1 + 2^11 (Lachaud
// and Wolfmann 1990).
TEST_F(SBoxGpu, TheInverseOf20BitsHasItsKnownSpectrum) {
  const cuda::DeviceBox box(*named_box("power:20:1048574:0x100009"), *stream);
  const Linear spectra = cuda::linear(box);
  EXPECT_EQ(spectra.linearity, 2048u);
  std::int64_t expected = -2044;
  for (const auto& [value, count] : spectra.walsh) {
    EXPECT_EQ(value, expected);
    expected += 4;
  }
  EXPECT_EQ(expected, 2052);
}

// Each row of the DDT of x^-1 has 2^19 + 1 zeros, one 4, and 2 elsewhere (Nyberg 1993). Each component is one
// function of x times a constant, so all columns of the autocorrelation table have the same values. By
// Parseval's equation the rows of the DDT determine the sum of their squares. The largest value is 2^(n/2 +
// 1) (Charpin, Helleseth and Zinoviev 2007).
TEST_F(SBoxGpu, TheInverseOf20BitsHasItsKnownDifferences) {
  constexpr std::uint64_t kRows = (1 << 20) - 1, kRowSquares = ((1 << 19) - 2) * 4 + 16;
  const cuda::DifferenceTables found =
      cuda::difference_tables({*named_box("power:20:1048574:0x100009"), *stream});
  EXPECT_EQ(found.differential.ddt,
            (Histogram{{0, kRows * ((1 << 19) + 1)}, {2, kRows * ((1 << 19) - 2)}, {4, kRows}}));
  const Autocorrelation& r = found.autocorrelation;
  for (std::size_t b = 1; b <= kRows; ++b) {
    ASSERT_EQ(r.indicators[b], 2048u) << b;
    ASSERT_EQ(r.sums[b], kRowSquares << 20) << b;
    ASSERT_EQ(r.structures[b], 0u) << b;
  }
}

// x^3 over GF(2^20): two thirds of the components are bent. The derivatives of the others are constant in
// three directions and balanced in all others (Gold 1968; Nyberg 1993).
TEST_F(SBoxGpu, TheCubeOf20BitsHasItsKnownAutocorrelation) {
  const Autocorrelation found =
      cuda::difference_tables({*named_box("power:20:3:0x100009"), *stream}).autocorrelation;
  constexpr std::uint64_t kWhole = std::uint64_t{1} << 40;
  std::size_t bent = 0;
  for (std::size_t b = 1; b < found.indicators.size(); ++b) {
    const bool is_bent = found.indicators[b] == 0;
    bent += is_bent ? 1u : 0u;
    ASSERT_EQ(found.indicators[b], is_bent ? 0u : 1u << 20) << b;
    ASSERT_EQ(found.structures[b], is_bent ? 0u : 3u) << b;
    ASSERT_EQ(found.sums[b], is_bent ? kWhole : 4 * kWhole) << b;
  }
  EXPECT_EQ(bent, ((1 << 20) - 1) / 3 * 2u);
}

TEST_F(SBoxGpu, OtherShapesAreRefused) {
  const cuda::DeviceBox large(box_of(3, 21, [](std::uint32_t x) { return x; }), *stream);
  EXPECT_EQ(test::usage_error([&] { (void)cuda::linear(large); }),
            "the spectra of all components of 21 outputs: at most 20 outputs are possible");
  const cuda::DeviceBox wide(box_of(9, 9, [](std::uint32_t x) { return x; }), *stream);
  EXPECT_EQ(test::usage_error([&] { (void)cuda::exhaustive_components(wide); }),
            "all components on a GPU: only of boxes with at most 8 inputs and at least 8 outputs");
}

}  // namespace
}  // namespace fugu::spectral
