// Runs every kernel of the spectral module except those of the S-box laboratory, at the smallest sizes that
// reach all its branches. compute-sanitizer runs these tests.
#include "fugu/core/hadamard_base.hpp"
#include "fugu/spectral/cuda/detail/walsh_plan.hpp"
#include "fugu/spectral/cuda/papers/papers.hpp"
#include "fugu/spectral/cuda/staging.hpp"
#include "spectral/gpu_fixture.hpp"

namespace fugu::spectral {
namespace {

using kernels::WalshPass;

class EveryKernel : public test::Gpu {};

template <class T>
class EveryKernelOf : public test::GpuOf<T> {};
TYPED_TEST_SUITE(EveryKernelOf, test::Types);

// Chips with less shared memory take smaller tiles.
constexpr cuda::Chip kChips[] = {{227 * 1024, 0}, {64 * 1024, 0}, {48 * 1024, 0}};

TYPED_TEST(EveryKernelOf, Passes) {
  for (const cuda::Chip& chip : kChips) {
    for (const int n : {3, 13, 14, 16})
      this->expect_rows(n, 3, [&](device::DeviceSpan<TypeParam> data) {
        cuda::run_plan(cuda::plan_walsh(n, data.size, sizeof(TypeParam), chip), data, *this->stream);
      });
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
  for (std::size_t way = 0; way < (sizeof(TypeParam) == 4 ? 3 : 2); ++way)
    this->expect_rows(tile, 140, [&](device::DeviceSpan<TypeParam> data) {
      cuda::run_plan(cuda::WalshPlan{ways[way], std::nullopt}, data, *this->stream);
    });
}

TYPED_TEST(EveryKernelOf, OneLaunch) {
  for (const int n : {4, 13, 19})
    this->expect_rows(n, 1, [&](device::DeviceSpan<TypeParam> data) {
      cuda::walsh(data, n, Ordering::natural, *this->stream);
    });
}

std::vector<core::Float16> halves_of(const std::vector<float>& values) {
  std::vector<core::Float16> halves;
  for (const float value : values) halves.push_back(core::rounded<core::Float16>(value));
  return halves;
}

void expect_same(const std::vector<core::Float16>& found, const std::vector<core::Float16>& right, int n) {
  for (std::size_t i = 0; i < right.size(); ++i) ASSERT_EQ(found[i].bits, right[i].bits) << n << ", " << i;
}

// Tiles, rows of one and two blocks, and chains, of which one goes around the ring.
TEST_F(EveryKernel, SixteenBits) {
  for (const int n : {1, 13, 14, 15, 16, 17, 19, 21}) {
    auto f = random_values<float>(std::size_t{n == 17 ? 71u : 3u} << n, 3, 5);
    const auto data = upload(halves_of(f));
    cuda::walsh({data.data(), data.size()}, data.span(), n, Ordering::natural, 0.25, *stream);
    walsh(std::span(f), n);
    for (float& value : f) value /= 4;
    expect_same(download(data.span()), halves_of(f), n);
  }
}

// out = (base x H) in.
std::vector<float> hadamard_product(std::vector<float> rows, cuda::HadamardBase base, int k) {
  walsh(std::span(rows), k);
  const std::size_t size = static_cast<std::size_t>(base.rows) << k;
  std::vector<float> out(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto across = static_cast<int>(i % size >> k);
    for (int along = 0; along < base.rows; ++along) {
      const int sign = base.transposed ? core::hadamard_base(base.rows, along, across)
                                       : core::hadamard_base(base.rows, across, along);
      out[i] += static_cast<float>(sign) * rows[i - (static_cast<std::size_t>(across - along) << k)];
    }
  }
  return out;
}

// Of 12 x 2^10 there are more rows than blocks at a time.
TEST_F(EveryKernel, HadamardRows) {
  for (const int k : {1, 4, 6, 9, 10}) {
    for (const cuda::HadamardBase base :
         {cuda::HadamardBase{12}, {12, true}, {20}, {20, true}, {28}, {28, true}, {40}, {40, true}}) {
      if (context->info().compute_major < 9 && base.rows == 40) continue;  // too little shared memory
      const std::size_t rows = base.rows == 12 && !base.transposed && k == 10 ? 270 : 3;
      const auto f = random_values<float>(rows * static_cast<std::size_t>(base.rows) << k, 3, 5);
      const auto expected = hadamard_product(f, base, k);
      const auto data = upload(f);
      cuda::hadamard({data.data(), data.size()}, data.span(), base, k, 1, *stream);
      EXPECT_EQ(download(data.span()), expected) << base.rows << ", " << k;
      const auto halves = upload(halves_of(f));
      cuda::hadamard({halves.data(), halves.size()}, halves.span(), base, k, 1, *stream);
      expect_same(download(halves.span()), halves_of(expected), k);
    }
  }
}

TEST_F(EveryKernel, HadamardRowsRefuse) {
  const Buffer<float> data(*stream, 13 * 64, Contents::open);
  const auto refused = [&](device::DeviceSpan<float> rows, int m, int k) {
    EXPECT_THROW(cuda::hadamard({rows.data, rows.size}, rows, {m}, k, 1, *stream), Error) << m << ", " << k;
  };
  refused(data.span(), 12, 6);                      // no whole rows
  refused(data.span().subspan(0, 12 * 64), 13, 6);  // no such matrix
  refused(data.span().subspan(0, 12), 12, 0);
  refused(data.span().subspan(0, 0), 12, 11);
  refused(data.span().subspan(1, 12 * 64), 12, 6);  // at an odd multiple of 4 bytes
}

// Plans for small chips: one launch is used only if all of its blocks fit at the same time.
TYPED_TEST(EveryKernelOf, SmallChipsGoWithoutOneLaunch) {
  for (const int multiprocessors : {14, 40}) {
    for (const int n : {16, 18}) {
      const cuda::Chip chip{64 * 1024, 4 << 20, multiprocessors, 2};
      const auto plan = cuda::plan_walsh(n, std::uint64_t{1} << n, sizeof(TypeParam), chip);
      ASSERT_EQ(plan.once, n == 16 && multiprocessors == 40);
      this->expect_rows(
          n, 1, [&](device::DeviceSpan<TypeParam> data) { cuda::run_plan(plan, data, *this->stream); });
    }
  }
}

TYPED_TEST(EveryKernelOf, Chains) {
  constexpr int tile = kernels::chain_tile_bits(sizeof(TypeParam)), stages = 2;
  const WalshPass low{false, tile, tile, tile, 0, tile};
  const cuda::WalshPlan plan{{low, cuda::strided_pass(tile, 5, tile, stages)},
                             kernels::ChainShape{3, 1 << stages, (1 << stages) + 1}};
  this->expect_rows(tile + stages, 3,
                    [&](device::DeviceSpan<TypeParam> data) { cuda::run_plan(plan, data, *this->stream); });
  const auto f = random_values<TypeParam>(std::size_t{3} << (tile + stages), 9, 6);
  auto expected = f;
  walsh(std::span(expected), tile + stages);
  const auto other = this->upload(f);
  const cuda::ChainCounters counters(plan, 2, *this->stream);
  this->expect_rows(tile + stages, 3, [&](device::DeviceSpan<TypeParam> data) {
    cuda::run_plan(plan, cuda::PlanRun<TypeParam>{data.data, data, other.data()}, counters.of_row(0),
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
    for (const int n : {6, 15}) this->expect_convolution(n, 0.01);
  }
}

TEST_F(EveryKernel, BooleanSpectraAndSummaries) {
  for (const int n : {4, 14, 16}) {
    const TruthTable f = random_function(n, 3);
    std::vector<std::uint32_t> packed = cuda::packed_words(f);
    packed.insert(packed.begin(), 0xffffffffu);  // so that the table's address is no multiple of 8 bytes
    const auto words = upload(packed);
    const auto table = words.span().subspan(1, packed.size() - 1);
    const Buffer<std::int32_t> out(*stream, f.size(), Contents::open);
    cuda::boolean_spectrum(table, n, out.span(), *stream);
    EXPECT_EQ(download(out.span()), walsh_spectrum(f)) << n;
    EXPECT_EQ(cuda::summarize_spectrum(table, n, cuda::Counting::no, *stream).max_abs,
              summarize_spectrum(f).max_abs);
    EXPECT_EQ(cuda::summarize_spectrum(table, n, cuda::Counting::yes, *stream).histogram,
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

// Runs the passes that only functions of more than 24 variables need, on 2^17 bits: stages 14 and 15, then 16
// for statistics.
TEST_F(EveryKernel, BooleanPassesOfLargeFunctions) {
  constexpr int n = 17;
  const TruthTable f = random_function(n, 3);
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
  launch(kernels::launch_boolean_first, words.data(), narrow.data(), n);
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
    device::wipe(counts.span(), *stream);
    gather();
    EXPECT_EQ(download(counts.span()), all);
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
         narrow.data(), n);
  launch(kernels::launch_boolean_narrow, cuda::strided_pass(tile, 5, 14, 2), narrow.data(), later.data(),
         beyond.data(), f.size());
  EXPECT_EQ(download(beyond.span())[0], 1u);
}

// Covers roots in and outside shared memory, and runs of several factors and of none.
TEST_F(EveryKernel, CharacterTables) {
  for (const char* name : {"3^5", "2x3x4x5", "20011"}) {
    const CharacterGroup group = CharacterGroup::parse(name);
    const TableTile tile{group.order() / 3, 5, group.order() / 5, group.order() / 2};
    test::expect_tables(group, tile, *stream);
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

}  // namespace
}  // namespace fugu::spectral
