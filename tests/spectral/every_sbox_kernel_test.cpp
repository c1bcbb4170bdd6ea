// Runs every kernel of the S-box laboratory at the smallest sizes that reach all its branches.
// compute-sanitizer runs these tests.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <random>

#include "fugu/spectral/cuda/detail/buffers.hpp"
#include "fugu/spectral/cuda/sbox.hpp"
#include "kernels/sbox/boomerang_launch.hpp"
#include "kernels/sbox/byte_row_launch.hpp"
#include "kernels/sbox/wide_launch.hpp"
#include "spectral/gpu_fixture.hpp"

namespace fugu::spectral {
namespace {

using device::Buffer;
using device::Contents;

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
    EXPECT_EQ(cuda::differential(there), differential(box));
    EXPECT_EQ(cuda::autocorrelation(there), autocorrelation(box));
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

// Computes a few rows whose first stages fit bytes. Blocks add up two rows or fewer.
template <class Value>
void expect_byte_rows(int inputs, int outputs, const device::Stream& stream) {
  constexpr std::uint32_t kFirst = 1001, kLast = 1006;
  std::mt19937 random(static_cast<unsigned>(outputs));
  std::vector<std::uint32_t> values(std::size_t{1} << inputs);
  std::uint32_t odd = 0;
  for (std::uint32_t& value : values) {
    value = static_cast<std::uint32_t>(random() & ((1u << outputs) - 1));
    odd ^= value;
  }
  const SBox box(inputs, outputs, values);
  const Buffer<Value> there = cuda::filled(std::vector<Value>(values.begin(), values.end()), stream);
  const std::size_t columns = std::size_t{1} << outputs;
  const Buffer<std::uint32_t> bytes(stream, (kLast - kFirst) * columns / 4, Contents::open);
  const Buffer<std::uint64_t> counts = cuda::zeros<std::uint64_t>(16, stream);
  const Buffer<std::uint32_t> least = cuda::filled(std::vector{64u, 64u}, stream);
  const Buffer<std::uint32_t> most = cuda::zeros<std::uint32_t>(3, stream);  // delta(a,0); inexact; odd
  const Buffer<std::uint32_t> largest = cuda::zeros<std::uint32_t>(columns, stream);
  const Buffer<std::uint64_t> sums = cuda::zeros<std::uint64_t>(columns, stream);
  device::launch_on(stream, "byte_rows", [&](device::StreamHandle handle) {
    return kernels::launch_byte_rows(
        kernels::ByteRows<Value>{inputs, outputs, there.data(), kFirst, kLast, bytes.data(), counts.data(),
                                 most.data(), least.data(), most.data() + 1},
        handle);
  });
  device::launch_on(stream, "byte_columns", [&](device::StreamHandle handle) {
    return kernels::launch_byte_columns({outputs, kFirst, kLast, 2, odd, bytes.data(), largest.data(),
                                         sums.data(), least.data() + 1, most.data() + 1},
                                        handle);
  });
  const Buffer<std::uint32_t> largest_by_column(stream, columns, Contents::open);
  const Buffer<std::uint64_t> sums_by_column(stream, columns, Contents::open);
  device::launch_on(stream, "byte_order", [&](device::StreamHandle handle) {
    return kernels::launch_byte_order(
        {outputs, largest.data(), sums.data(), largest_by_column.data(), sums_by_column.data()}, handle);
  });
  const Buffer<std::uint32_t> wide = cuda::filled(values, stream);
  device::launch_on(stream, "value_sum", [&](device::StreamHandle handle) {
    return kernels::launch_value_sum(
        {wide.data(), static_cast<std::uint32_t>(values.size()), most.data() + 2}, handle);
  });
  std::vector<std::uint64_t> expected_counts(16), expected_sums(columns);
  std::vector<std::uint32_t> expected_largest(columns);
  std::uint32_t zero = 0, lightest = 64, lightest_row = 64;
  std::vector<std::int32_t> r(columns);
  for (std::uint32_t a = kFirst; a < kLast; ++a) {
    const auto weight = static_cast<std::uint32_t>(std::popcount(a));
    for (const DdtEntry& entry : ddt_entries(box, a)) {
      ++expected_counts.at(entry.count / 2);
      if (entry.b == 0) zero = std::max(zero, entry.count);
      lightest = std::min(lightest, weight + static_cast<std::uint32_t>(std::popcount(entry.b)));
    }
    autocorrelation_row(box, a, r);
    for (std::size_t b = 1; b < columns; ++b) {
      const auto half = static_cast<std::uint32_t>(std::abs(r[b]) / 2);
      expected_largest[b] = std::max(expected_largest[b], half);
      expected_sums[b] += std::uint64_t{half} * half;
    }
    lightest_row = std::min(lightest_row, weight);
  }
  EXPECT_EQ(cuda::values_of(counts, stream), expected_counts);
  EXPECT_EQ(cuda::values_of(most, stream), (std::vector{zero, 0u, odd}));
  EXPECT_EQ(cuda::values_of(least, stream), (std::vector{lightest, lightest_row}));
  EXPECT_TRUE(cuda::values_of(largest_by_column, stream) == expected_largest);
  EXPECT_TRUE(cuda::values_of(sums_by_column, stream) == expected_sums);
}

TEST_F(EveryKernelOfSBoxes, ByteRows) {
  if (context->info().compute_major < 9) GTEST_SKIP() << "compute capability below 9.0";
  expect_byte_rows<std::uint16_t>(12, 16, *stream);
  for (int outputs = 17; outputs <= 20; ++outputs) expect_byte_rows<std::uint32_t>(13, outputs, *stream);
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
