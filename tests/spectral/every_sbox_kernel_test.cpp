// Runs every kernel of the S-box laboratory at the smallest sizes that reach all its branches.
// compute-sanitizer runs these tests.
#include "fugu/spectral/cuda/sbox.hpp"
#include "fugu/spectral/cuda/staging.hpp"
#include "kernels/sbox/sbox_launch.hpp"
#include "spectral/gpu_fixture.hpp"

namespace fugu::spectral {
namespace {

class EveryKernelOfSBoxes : public test::Gpu {};

SBox some_box(int inputs, int outputs) {
  std::vector<std::uint32_t> values(std::size_t{1} << inputs);
  for (std::uint32_t x = 0; x < values.size(); ++x) values[x] = x * x * 40503u % ((1u << outputs) - 1);
  return {inputs, outputs, std::move(values)};
}

TEST_F(EveryKernelOfSBoxes, TablesAndDegrees) {
  for (const auto& [inputs, outputs] : {std::pair{8, 8}, {5, 18}, {6, 18}, {17, 2}}) {
    const SBox box = some_box(inputs, outputs);
    const cuda::DeviceBox there(box, *stream);
    EXPECT_EQ(there.to_host(), box);
    EXPECT_EQ(cuda::linear(there), linear(box));
    EXPECT_EQ(cuda::component_degrees(there), component_degrees(box));
    if (inputs == 17) continue;  // too many rows
    const cuda::DifferenceTables tables = cuda::difference_tables(there);
    EXPECT_EQ(tables.differential, differential(box));
    EXPECT_EQ(tables.autocorrelation, autocorrelation(box));
  }
}

// Rows of 32-bit counters in shared memory, which only boxes of many rows need.
TEST_F(EveryKernelOfSBoxes, SharedRows) {
  const SBox box = some_box(11, 5);
  const cuda::DeviceBox there(box, *stream);
  const Buffer<std::uint32_t> pairs(*stream, 9 << 5, Contents::open);
  const kernels::WideRows rows{11, 5, there.values().data, 1000, 1009, pairs.data()};
  device::launch_on(*stream, "wide_rows",
                    [&](device::StreamHandle handle) { return kernels::launch_wide_rows(rows, handle); });
  std::vector<std::uint32_t> expected(9 << 5);
  for (std::uint32_t a = 1000; a < 1009; ++a) {
    for (const DdtEntry& entry : ddt_entries(box, a)) expected[(a - 1000) << 5 | entry.b] = entry.count / 2;
  }
  EXPECT_EQ(download(pairs.span()), expected);
}

TEST_F(EveryKernelOfSBoxes, Transparency) {
  for (const auto& [inputs, outputs] : {std::pair{3, 5}, {8, 11}, {12, 3}}) {
    const SBox box = some_box(inputs, outputs);
    EXPECT_EQ(cuda::transparency_order({box, *stream}), transparency_order(box)) << inputs;
  }
}

SBox some_permutation(int bits) {
  std::vector<std::uint32_t> values(std::size_t{1} << bits);
  for (std::uint32_t x = 0; x < values.size(); ++x)
    values[x] = ((x * x + x) / 2 * 5 + 3) & static_cast<std::uint32_t>(values.size() - 1);
  return {bits, bits, std::move(values)};
}

TEST_F(EveryKernelOfSBoxes, Boomerangs) {
  for (const int bits : {1, 5, 8, 12}) {
    const SBox box = some_permutation(bits);
    EXPECT_EQ(cuda::boomerang({box, *stream}), boomerang(box)) << bits;
  }
  EXPECT_EQ(cuda::boomerang({some_box(6, 6), *stream}), std::nullopt);
}

// Rows in device memory, which only boxes of many rows need.
TEST_F(EveryKernelOfSBoxes, WideBoomerangs) {
  constexpr std::uint32_t kBlocks = 3;
  const SBox box = some_permutation(8);
  const cuda::DeviceBox there(box, *stream);
  const Buffer<std::uint32_t> before(*stream, kBlocks << 7, Contents::open);
  const Buffer<std::uint32_t> counters = cuda::zeros<std::uint32_t>(kBlocks << 8, *stream);
  const Buffer<std::uint64_t> counts = cuda::zeros<std::uint64_t>(2 * 129, *stream);
  const Buffer<std::uint32_t> flag = cuda::zeros<std::uint32_t>(1, *stream);
  const kernels::BoomerangRows<std::uint32_t> rows{8,
                                                   there.values().data,
                                                   1,
                                                   256,
                                                   kBlocks,
                                                   before.data(),
                                                   counters.data(),
                                                   counts.data(),
                                                   counts.data() + 129,
                                                   flag.data()};
  device::launch_on(*stream, "boomerang_rows", [&](device::StreamHandle handle) {
    return kernels::launch_boomerang_rows(rows, handle);
  });
  const auto found = download(counts.span());
  const Boomerang expected = boomerang(box);
  for (std::int64_t i = 1; i < 129; ++i) {
    const auto beta = expected.bct.find(2 * i), phi = expected.fbct.find(4 * i);
    EXPECT_EQ(found[static_cast<std::size_t>(i)], beta == expected.bct.end() ? 0 : beta->second) << i;
    EXPECT_EQ(2 * found[static_cast<std::size_t>(129 + i)], phi == expected.fbct.end() ? 0 : phi->second)
        << i;
  }
  EXPECT_EQ(download(flag.span())[0], 0u);
}

}  // namespace
}  // namespace fugu::spectral
