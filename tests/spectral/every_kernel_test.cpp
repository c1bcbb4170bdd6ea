// Runs every kernel of the spectral module at the smallest sizes that reach all its branches. This is the
// test that compute-sanitizer runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <random>

#include "fugu/spectral/cuda/characters.hpp"
#include "fugu/spectral/cuda/detail/buffers.hpp"
#include "fugu/spectral/cuda/detail/run_plan.hpp"
#include "fugu/spectral/cuda/dyadic.hpp"
#include "fugu/spectral/cuda/papers/papers.hpp"
#include "fugu/spectral/cuda/sbox.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "fugu/spectral/dyadic.hpp"
#include "kernels/sbox/boomerang_launch.hpp"
#include "kernels/sbox/byte_row_launch.hpp"
#include "kernels/sbox/wide_launch.hpp"
#include "spectral/definition.hpp"
#include "spectral/gpu_fixture.hpp"

namespace fugu::spectral {
namespace {

using device::Buffer;
using device::Contents;
using kernels::WalshPass;
using test::random_values;

class EveryKernel : public test::Gpu {};

template <class T>
class EveryKernelOf : public test::Gpu {
 protected:
  // Compares `rows` rows of 2^n values, transformed on the GPU by `transform`, with the CPU's transforms.
  template <class Transform>
  void expect_rows(int n, std::size_t rows, Transform transform) {
    const auto f = random_values<T>(rows << n, 9, 5);
    auto expected = f;
    walsh(std::span(expected), n);
    const auto data = this->upload(f);
    transform(data.span());
    EXPECT_EQ(this->download(data.span()), expected) << "n = " << n << ", rows " << rows;
  }
};
using Types = testing::Types<std::int32_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(EveryKernelOf, Types);

// Chips with less shared memory take smaller tiles.
constexpr cuda::Chip kChips[] = {{227 * 1024, 0}, {64 * 1024, 0}, {48 * 1024, 0}};

TYPED_TEST(EveryKernelOf, Passes) {
  for (const cuda::Chip& chip : kChips) {
    for (const int n : {3, 13, 14, 16}) {
      this->expect_rows(n, 3, [&](device::DeviceSpan<TypeParam> data) {
        cuda::run_plan(cuda::plan_walsh(n, data.size, sizeof(TypeParam), chip), data, 0, nullptr,
                       *this->stream);
      });
    }
  }
}

// There are more tiles than an H200 has multiprocessors, so blocks take a second one. Each strided pass
// follows a pass that computes the stages below its rows.
TYPED_TEST(EveryKernelOf, Rings) {
  constexpr int tile = kernels::ring_tile_bits(sizeof(TypeParam)),
                registers = kernels::register_bits_of(tile);
  constexpr int batch = kernels::kBatchTileBits;
  const std::vector<std::vector<kernels::WalshPass>> ways{
      {{false, tile, tile, tile, 0, tile}},
      {{false, batch, batch, batch, 0, tile - 10}, cuda::strided_pass(tile, registers, tile - 10, 10)},
      {{false, batch, batch, batch, 0, tile - 11}, cuda::strided_pass(tile, registers, tile - 11, 11)}};
  for (std::size_t way = 0; way < (sizeof(TypeParam) == 4 ? 3 : 2); ++way) {
    this->expect_rows(tile, 140, [&](device::DeviceSpan<TypeParam> data) {
      cuda::run_plan(cuda::WalshPlan{ways[way], std::nullopt}, data, 0, nullptr, *this->stream);
    });
  }
}

TYPED_TEST(EveryKernelOf, OneLaunch) {
  for (const int n : {4, 13}) {
    this->expect_rows(n, 1, [&](device::DeviceSpan<TypeParam> data) {
      cuda::walsh(data, n, Ordering::natural, *this->stream);
    });
  }
}

// Plans for small chips: one launch is used only if all of its blocks fit at the same time.
TYPED_TEST(EveryKernelOf, SmallChipsGoWithoutOneLaunch) {
  for (const int multiprocessors : {14, 40}) {
    for (const int n : {16, 18}) {
      const cuda::Chip chip{64 * 1024, 4 << 20, multiprocessors, 2};
      const auto plan = cuda::plan_walsh(n, std::uint64_t{1} << n, sizeof(TypeParam), chip);
      ASSERT_EQ(plan.once, n == 16 && multiprocessors == 40);
      this->expect_rows(n, 1, [&](device::DeviceSpan<TypeParam> data) {
        cuda::run_plan(plan, data, 0, nullptr, *this->stream);
      });
    }
  }
}

TYPED_TEST(EveryKernelOf, Chains) {
  constexpr int tile = kernels::chain_tile_bits(sizeof(TypeParam)), stages = 2;
  const WalshPass low{false, tile, tile, tile, 0, tile};
  const cuda::WalshPlan plan{{low, cuda::strided_pass(tile, 5, tile, stages)},
                             kernels::ChainShape{3, 1 << stages, (1 << stages) + 1}};
  this->expect_rows(tile + stages, 3, [&](device::DeviceSpan<TypeParam> data) {
    cuda::run_plan(plan, data, 0, nullptr, *this->stream);
  });
  const auto f = random_values<TypeParam>(std::size_t{3} << (tile + stages), 9, 6);
  auto expected = f;
  walsh(std::span(expected), tile + stages);
  const auto other = this->upload(f);
  const cuda::ChainCounters counters(plan, 2, *this->stream);
  this->expect_rows(tile + stages, 3, [&](device::DeviceSpan<TypeParam> data) {
    cuda::run_plan(plan, cuda::PlanRun<TypeParam>{data, other.data(), 0, nullptr}, counters.of_row(0),
                   *this->stream);
  });
  EXPECT_EQ(this->download(other.span()), expected);
}

TYPED_TEST(EveryKernelOf, OrderingsAndInverse) {
  for (const Ordering ordering : {Ordering::dyadic, Ordering::sequency}) {
    const auto f = random_values<TypeParam>(2 << 9, 9, 5);
    const auto data = this->upload(f);
    cuda::walsh(data.span(), 9, ordering, *this->stream);
    cuda::inverse_walsh(data.span(), 9, ordering, *this->stream);
    EXPECT_EQ(this->download(data.span()), f);
  }
}

TYPED_TEST(EveryKernelOf, Convolutions) {
  if constexpr (!std::is_same_v<TypeParam, std::int32_t>) {
    for (const int n : {6, 15}) {
      auto f = random_values<TypeParam>(std::size_t{1} << n, 1, 1);
      auto g = random_values<TypeParam>(std::size_t{1} << n, 1, 2);
      auto expected = f, other = g, self = f, expected_self = f;
      dyadic_convolve(std::span(expected), std::span(other));
      dyadic_autocorrelate(std::span(expected_self));
      cuda::dyadic_convolve(std::span(f), std::span(g), *this->stream);
      cuda::dyadic_convolve(std::span(self), std::span(self), *this->stream);
      for (std::size_t s = 0; s < f.size(); ++s) {
        ASSERT_NEAR(static_cast<double>(f[s]), static_cast<double>(expected[s]), 0.01);
        ASSERT_NEAR(static_cast<double>(self[s]), static_cast<double>(expected_self[s]), 0.01);
      }
    }
  }
}

TEST_F(EveryKernel, BooleanSpectraAndSummaries) {
  for (const int n : {4, 14, 16}) {
    TruthTable f(n);
    f.words() = test::random_bits(n, 3);
    const auto words = upload(cuda::packed_words(f));
    const Buffer<std::int32_t> out(*stream, f.size(), Contents::open);
    cuda::boolean_spectrum(words.span(), n, out.span(), *stream);
    EXPECT_EQ(download(out.span()), walsh_spectrum(f)) << n;
    EXPECT_EQ(cuda::summarize_spectrum(f, cuda::Histogram::no, *stream).max_abs,
              summarize_spectrum(f).max_abs);
    EXPECT_EQ(cuda::summarize_spectrum(f, cuda::Histogram::yes, *stream).histogram,
              summarize_spectrum(f).histogram);
  }
}

// Takes the zero function, random functions, and single monomials.
TEST_F(EveryKernel, Degrees) {
  for (const int n : {1, 2, 4, 5, 9, 14, 19, 20, 23}) {
    TruthTable f(n);
    EXPECT_EQ(cuda::algebraic_degree(upload(cuda::packed_words(f)).span(), n, *stream), -1) << n;
    f.words() = test::random_bits(n, 3);
    EXPECT_EQ(cuda::algebraic_degree(upload(cuda::packed_words(f)).span(), n, *stream), algebraic_degree(f))
        << n;
    for (const std::size_t monomial : {std::size_t{1} << (n - 1), f.size() - 1}) {
      TruthTable form(n);
      form.set(monomial, true);
      const TruthTable g = moebius(form);
      EXPECT_EQ(cuda::algebraic_degree(upload(cuda::packed_words(g)).span(), n, *stream),
                std::popcount(monomial))
          << n;
    }
  }
}

// Takes every number of variables that has columns and rows, including those whose max |W| alone is computed
// by tiles. Matrix units do not take a truth table whose address is not a multiple of 8 bytes.
TEST_F(EveryKernel, ColumnsRowsAndMatrixUnits) {
  for (int n = kernels::kLeastColumns; n <= kernels::kMostColumns; ++n) {
    TruthTable f(n);
    f.words() = test::random_bits(n, 5);
    const SpectrumSummary expected = summarize_spectrum(f);
    std::vector<std::uint32_t> packed = cuda::packed_words(f);
    packed.insert(packed.begin(), 0xffffffffu);
    const auto odd = upload(packed), even = upload(cuda::packed_words(f));
    for (const auto& words : {odd.span().subspan(1, even.size()), even.span()}) {
      EXPECT_EQ(cuda::summarize_spectrum(words, n, cuda::Histogram::no, *stream).max_abs, expected.max_abs)
          << n;
      const SpectrumSummary counted = cuda::summarize_spectrum(words, n, cuda::Histogram::yes, *stream);
      EXPECT_EQ(counted.max_abs, expected.max_abs) << n;
      EXPECT_EQ(counted.histogram, expected.histogram) << n;
    }
  }
}

// Functions whose values exceed the range of matrix units, or whose counts exceed that of their counters: a
// constant, and a bent function, once of the low variables only.
TEST_F(EveryKernel, MatrixUnitsLoseValues) {
  for (const int n : {18, 20, 24}) {
    for (const int kind : {0, 1, 2}) {
      TruthTable f(n);
      for (std::size_t w = 0; w < f.words().size(); ++w) {
        const std::size_t high = kind == 1 ? w : 0;
        for (std::size_t i = 0; i < 64; ++i) {
          const std::size_t x = high << 6 | i;
          const bool bit = kind != 0 && std::popcount(x & x >> 1 & 0x555555) % 2 == 1;
          f.words()[w] |= std::uint64_t{bit} << i;
        }
      }
      const auto words = upload(cuda::packed_words(f));
      const SpectrumSummary expected = summarize_spectrum(f),
                            counted =
                                cuda::summarize_spectrum(words.span(), n, cuda::Histogram::yes, *stream);
      EXPECT_EQ(cuda::summarize_spectrum(words.span(), n, cuda::Histogram::no, *stream).max_abs,
                expected.max_abs)
          << n << ", " << kind;
      EXPECT_EQ(counted.max_abs, expected.max_abs) << n << ", " << kind;
      EXPECT_EQ(counted.histogram, expected.histogram) << n << ", " << kind;
    }
  }
}

// Runs the passes that only functions of more than 24 variables need, on 2^17 bits: stages 14 and 15, then 16
// for statistics.
TEST_F(EveryKernel, BooleanPassesOfLargeFunctions) {
  constexpr int n = 17;
  TruthTable f(n);
  f.words() = test::random_bits(n, 3);
  const auto words = upload(cuda::packed_words(f));
  const Buffer<std::int16_t> narrow(*stream, f.size(), Contents::open);
  const Buffer<std::int32_t> wide(*stream, f.size(), Contents::open);
  const Buffer<std::uint32_t> largest(*stream, 1, Contents::open);
  device::wipe(largest.span(), *stream);
  kernels::SpectrumStatistics statistics{};
  statistics.max_abs = largest.data();
  const auto launch = [&](auto launcher, const auto&... arguments) {
    device::launch_on(*stream, "boolean",
                      [&](device::StreamHandle handle) { return launcher(arguments..., handle); });
  };
  constexpr int tile = kernels::kBooleanTileBits;
  launch(kernels::launch_boolean_first, words.data(), narrow.data(), n, nullptr);
  launch(kernels::launch_boolean_widen, cuda::strided_pass(tile, 5, 14, 2), narrow.data(), wide.data(),
         f.size());
  const kernels::WalshPass last = cuda::strided_pass(tile, 5, 16, 1);
  const SpectrumSummary expected = summarize_spectrum(f);

  // Quotients of one sign: all, and those that blocks count in shared memory.
  constexpr std::int32_t half = std::int32_t{1} << 12, likely = 300;
  const Buffer<std::uint32_t> counts(*stream, 2 * half, Contents::open);
  std::vector<std::uint32_t> all(2 * half);
  for (const auto& [value, count] : expected.histogram)
    all[kernels::counter_of(static_cast<std::int32_t>(value >> 2))] += static_cast<std::uint32_t>(count);
  const auto expect_counts = [&](const auto& gather) {
    statistics.counts = nullptr;
    device::wipe(largest.span(), *stream);
    gather();
    EXPECT_EQ(download(largest.span())[0], expected.max_abs);
    statistics.counts = counts.data();
    statistics.step_bits = 2;
    statistics.half = half;
    statistics.likely_half = likely;
    for (const bool narrow_counters : {false, true}) {
      statistics.narrow_counters = narrow_counters;
      device::wipe(counts.span(), *stream);
      gather();
      EXPECT_EQ(download(counts.span()), all) << narrow_counters;
    }
  };
  expect_counts(
      [&] { launch(kernels::launch_boolean_wide_statistics, last, wide.data(), f.size(), statistics); });

  const Buffer<std::int16_t> later(*stream, f.size(), Contents::open);
  const Buffer<std::uint32_t> beyond = cuda::zeros<std::uint32_t>(1, *stream);
  for (const int bits : {kernels::kBooleanTileBits, kernels::kTileBits}) {
    launch(kernels::launch_boolean_narrow, cuda::strided_pass(bits, 5, 14, 2), narrow.data(), later.data(),
           beyond.data(), f.size());
    expect_counts([&] {
      launch(kernels::launch_boolean_narrow_statistics, cuda::strided_pass(bits, 5, 16, 1), later.data(),
             f.size(), statistics);
    });
  }
  EXPECT_EQ(download(beyond.span())[0], 0u);
  launch(kernels::launch_boolean_first, upload(std::vector<std::uint32_t>(f.size() / 32)).data(),
         narrow.data(), n, nullptr);
  launch(kernels::launch_boolean_narrow, cuda::strided_pass(tile, 5, 14, 2), narrow.data(), later.data(),
         beyond.data(), f.size());
  EXPECT_EQ(download(beyond.span())[0], 1u);
}

template <class T>
void expect_table(const CharacterGroup& group, const TableTile& tile, RowOrder order,
                  const device::Stream& stream) {
  std::vector<T> expected(static_cast<std::size_t>(tile.rows * tile.columns)), result(expected.size());
  character_table(group, tile, std::span(expected), order);
  const Buffer<T> out(stream, expected.size(), Contents::open);
  cuda::character_table(group, tile, out.span(), order, stream);
  device::copy_to_host(std::span<T>(result), out.span(), stream);
  stream.synchronize();
  EXPECT_TRUE(result == expected);
}

// Covers roots in and outside shared memory, and runs of several factors and of none.
TEST_F(EveryKernel, CharacterTables) {
  for (const char* name : {"3^5", "2x3x4x5", "20011"}) {
    const CharacterGroup group = CharacterGroup::parse(name);
    const TableTile tile{group.order() / 3, 5, group.order() / 5, group.order() / 2};
    for (const RowOrder order : {RowOrder::kronecker, RowOrder::equation1}) {
      if (group.modulus() <= 256) expect_table<std::uint8_t>(group, tile, order, *stream);
      expect_table<std::uint16_t>(group, tile, order, *stream);
      expect_table<std::complex<float>>(group, tile, order, *stream);
      expect_table<std::complex<double>>(group, tile, order, *stream);
    }
  }
}

TEST_F(EveryKernel, PaperAlgorithms) {
  for (const int n : {6, 12}) {
    const auto f = random_values<std::int32_t>(std::size_t{1} << n, 9, 5);
    auto expected = f;
    walsh(std::span(expected), n);
    const Buffer<std::int32_t> other(*stream, f.size(), Contents::open);
    for (int algorithm = 1; algorithm <= 6; ++algorithm) {
      const auto data = upload(f);
      cuda::paper_walsh(algorithm, data.span(), other.span(), {.threads = 128}, *stream);
      EXPECT_EQ(download(data.span()), expected) << algorithm;
    }
  }
}

TEST_F(EveryKernel, PaperConvolutionAndKroneckerTables) {
  auto f = random_values<std::int64_t>(1 << 9, 9, 1), g = random_values<std::int64_t>(1 << 9, 9, 2);
  const auto on_gpu = upload(f), other = upload(g);
  cuda::paper_convolve(on_gpu.span(), other.span(), *stream);
  dyadic_convolve(std::span(f), std::span(g));
  EXPECT_EQ(download(on_gpu.span()), f);
  const Buffer<std::complex<float>> first(*stream, 81 * 81, Contents::open),
      second(*stream, 81 * 81, Contents::open);
  const auto made = download(cuda::paper_characters(3, 4, first.span(), second.span(), *stream));
  const CharacterGroup group = CharacterGroup::parse("3^4");
  std::vector<std::complex<float>> expected(made.size());
  character_table(group, whole_table(group), std::span(expected));
  for (std::size_t i = 0; i < made.size(); ++i) ASSERT_NEAR(std::abs(made[i] - expected[i]), 0, 1e-5);
}

SBox some_box(int inputs, int outputs) {
  std::vector<std::uint32_t> values(std::size_t{1} << inputs);
  for (std::uint32_t x = 0; x < values.size(); ++x) values[x] = x * x * 40503u % ((1u << outputs) - 1);
  return {inputs, outputs, std::move(values)};
}

TEST_F(EveryKernel, SBoxes) {
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
TEST_F(EveryKernel, SharedRowsOfSBoxes) {
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

TEST_F(EveryKernel, ByteRowsOfSBoxes) {
  if (context->info().compute_major < 9) GTEST_SKIP() << "compute capability below 9.0";
  expect_byte_rows<std::uint16_t>(12, 16, *stream);
  for (int outputs = 17; outputs <= 20; ++outputs) expect_byte_rows<std::uint32_t>(13, outputs, *stream);
}

TEST_F(EveryKernel, TransparencyOfSBoxes) {
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

TEST_F(EveryKernel, BoomerangsOfSBoxes) {
  for (const int bits : {1, 5, 8, 12}) {
    const SBox box = some_permutation(bits);
    EXPECT_EQ(cuda::boomerang({box, *stream}), boomerang(box)) << bits;
  }
  EXPECT_EQ(cuda::boomerang({some_box(6, 6), *stream}), std::nullopt);
}

// Rows in device memory, which only boxes of many rows need.
TEST_F(EveryKernel, WideBoomerangsOfSBoxes) {
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
