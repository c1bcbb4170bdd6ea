// The spectral kernels on a GPU, against the CPU transform (which the definition vouches for) and closed
// forms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fugu/error.hpp"
#include "fugu/spectral/cuda/characters.hpp"
#include "fugu/spectral/cuda/dyadic.hpp"
#include "fugu/spectral/cuda/element.hpp"
#include "fugu/spectral/cuda/papers.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "fugu/spectral/dyadic.hpp"
#include "spectral/definition.hpp"
#include "support/gpu.hpp"

namespace fugu::spectral {
namespace {

using device::Buffer;
using device::Contents;
using test::random_values;

class Gpu : public testing::Test {
 protected:
  void SetUp() override {
    FUGU_NEED_GPU(1);
    context.emplace(0);
    stream.emplace(*context);
  }

  // Nothing is left on the device.
  void TearDown() override {
    if (!context) return;
    EXPECT_EQ(context->stats().live_device_bytes, 0u);
  }

  cuda::Queue queue() { return {*context, *stream}; }

  template <class T>
  Buffer<T> upload(const std::vector<T>& values) {
    Buffer<T> buffer(*stream, values.size(), Contents::open);
    device::copy_to_device(buffer.span(), values, *stream);
    return buffer;
  }

  template <class T>
  std::vector<T> download(device::DeviceSpan<T> span) {
    std::vector<T> values(span.size);
    device::copy_to_host(std::span<T>(values), span, *stream);
    stream->synchronize();
    return values;
  }

  std::optional<device::Context> context;
  std::optional<device::Stream> stream;
};

template <class T>
class GpuOf : public Gpu {};
using Types = testing::Types<std::int32_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(GpuOf, Types);

TYPED_TEST(GpuOf, TransformEqualsTheDefinition) {
  using T = TypeParam;
  for (int n = 0; n <= 12; ++n) {
    const auto f = random_values<T>(std::size_t{1} << n, 1000, static_cast<std::uint64_t>(n));
    const auto data = this->upload(f);
    cuda::walsh(data.span(), n, Ordering::natural, this->queue());
    EXPECT_EQ(this->download(data.span()), test::walsh_definition<T>(f)) << "n = " << n;
  }
}

TYPED_TEST(GpuOf, TransformEqualsTheCpuInEveryOrderingAndComesBack) {
  using T = TypeParam;
  for (int n = 1; n <= 25; n += n >= 20 ? 1 : n < 13 ? 3 : 2) {
    const auto f = random_values<T>(std::size_t{1} << n, n < 20 ? 9 : 0x1f, static_cast<std::uint64_t>(n));
    for (const Ordering ordering : {Ordering::natural, Ordering::dyadic, Ordering::sequency}) {
      if (n > 21 && ordering != Ordering::natural) continue;
      const auto data = this->upload(f);
      cuda::walsh(data.span(), n, ordering, this->queue());
      auto expected = f;
      walsh(std::span(expected), n, {.ordering = ordering});
      if (sizeof(T) == 8 || n <= 18 || std::is_integral_v<T>) {
        ASSERT_EQ(this->download(data.span()), expected) << "n = " << n;
      }
      cuda::inverse_walsh(data.span(), n, ordering, this->queue());
      if (sizeof(T) == 8 || n <= 18 || std::is_integral_v<T>) {
        ASSERT_EQ(this->download(data.span()), f) << "n = " << n;
      }
    }
  }
}

TYPED_TEST(GpuOf, BatchesAreRowsOnTheirOwn) {
  using T = TypeParam;
  for (const int n : {0, 1, 3, 5, 8, 11, 13, 14, 15}) {
    for (const std::size_t rows : {1u, 3u, 50u}) {
      const auto f = random_values<T>(rows << n, 100, rows);
      const auto data = this->upload(f);
      cuda::walsh(data.span(), n, Ordering::natural, this->queue());
      auto expected = f;
      walsh(std::span(expected), n);
      ASSERT_EQ(this->download(data.span()), expected) << "n = " << n << ", rows = " << rows;
    }
  }
}

// Shift: the transform of a delta at `at` is the row `at` of the matrix; and its inverse is the delta. To n
// = 30.
TEST_F(Gpu, LargeTransformsHaveTheirClosedForms) {
  for (const int n : {26, 27, 30}) {
    const std::size_t size = std::size_t{1} << n;
    const std::size_t at = size / 7 * 3;
    Buffer<std::int32_t> data(*stream, size, Contents::open);
    device::wipe(data.span(), *stream);
    const std::vector<std::int32_t> one{1};
    device::copy_to_device(data.span().subspan(at, 1), one, *stream);
    cuda::walsh(data.span(), n, Ordering::natural, queue());
    const auto spectrum = download(data.span());
    for (std::size_t a = 0; a < size; ++a) ASSERT_EQ(spectrum[a], test::sign(a, at)) << n;
    cuda::inverse_walsh(data.span(), n, Ordering::natural, queue());
    const auto back = download(data.span());
    for (std::size_t a = 0; a < size; ++a) ASSERT_EQ(back[a], a == at ? 1 : 0) << n;
  }
}

TEST_F(Gpu, ParsevalAndLinearityAtLargeSizes) {
  for (const int n : {25, 26, 28}) {
    const std::size_t size = std::size_t{1} << n;
    const auto f = random_values<std::int32_t>(size, 1, 11);
    const auto g = random_values<std::int32_t>(size, 1, 12);
    std::vector<std::int32_t> mixed(size);
    for (std::size_t x = 0; x < size; ++x) mixed[x] = 3 * f[x] - 2 * g[x];
    const auto transformed = [&](const std::vector<std::int32_t>& values) {
      const auto data = upload(values);
      cuda::walsh(data.span(), n, Ordering::natural, queue());
      return download(data.span());
    };
    const auto wf = transformed(f);
    const auto wg = transformed(g);
    const auto wm = transformed(mixed);
    std::int64_t energy = 0, spectral_energy = 0;
    for (std::size_t a = 0; a < size; ++a) {
      ASSERT_EQ(wm[a], 3 * wf[a] - 2 * wg[a]) << n;
      energy += f[a] * f[a];
      spectral_energy += static_cast<std::int64_t>(wf[a]) * wf[a];
    }
    EXPECT_EQ(spectral_energy, energy << n) << n;
  }
}

// The passes by groups of blocks, which plans only use for large rows, on small ones.
TYPED_TEST(GpuOf, GroupsOfBlocksTransform) {
  using T = TypeParam;
  if (this->context->info().compute_major < 9) GTEST_SKIP() << "this gpu has no clusters of blocks";
  const int low = kernels::cluster_tile_bits(sizeof(T)) + kernels::kClusterStages;
  const int n = low + 3;
  const auto f = random_values<T>(std::size_t{1} << n, 9, 5);
  const auto data = this->upload(f);
  const auto run = [&](const kernels::WalshPass& pass) {
    device::launch_on(*this->stream, "pass", [&](device::StreamHandle handle) {
      return kernels::launch_walsh_pass(cuda::element_of<T>(), pass, data.data(), f.size(), 0, nullptr,
                                        handle);
    });
  };
  auto expected = f;
  walsh(std::span(expected), n);
  run(cuda::cluster_contiguous_pass(sizeof(T)));
  run(cuda::strided_pass(kernels::kBatchTileBits, 5, low, 3));
  EXPECT_EQ(this->download(data.span()), expected);
  // The same stages, the upper ones by groups.
  device::copy_to_device(data.span(), f, *this->stream);
  const int first = n - 9;
  run({false, kernels::kBatchTileBits, kernels::kBatchTileBits, kernels::kBatchTileBits, 0, first});
  run(cuda::cluster_strided_pass(sizeof(T), first, 9));
  EXPECT_EQ(this->download(data.span()), expected);
}

TEST_F(Gpu, InverseOfWhatIsNoSpectrumIsRefused) {
  const auto data = upload(std::vector<std::int32_t>{1, 0});
  EXPECT_THROW(cuda::inverse_walsh(data.span(), 1, Ordering::natural, queue()), Error);
  EXPECT_THROW(cuda::walsh(data.span(), 2, Ordering::natural, queue()), Error);
}

TEST_F(Gpu, BooleanSpectrumAndSummaryEqualTheCpu) {
  for (const int n : {1, 4, 5, 9, 13, 14, 15, 19, 24, 25}) {
    TruthTable f(n);
    f.words() = test::random_bits(n, static_cast<std::uint64_t>(n));
    std::vector<std::uint32_t> words;
    for (const std::uint64_t word : f.words()) {
      words.push_back(static_cast<std::uint32_t>(word));
      words.push_back(static_cast<std::uint32_t>(word >> 32));
    }
    const auto there = upload(words);
    Buffer<std::int32_t> out(*stream, f.size(), Contents::open);
    cuda::boolean_spectrum(there.span(), n, out.span(), queue());
    ASSERT_EQ(download(out.span()), walsh_spectrum(f)) << n;
    const SpectrumSummary expected = summarize_spectrum(f);
    const SpectrumSummary summary = cuda::summarize_spectrum(f, cuda::Histogram::yes, queue());
    EXPECT_EQ(summary.histogram, expected.histogram) << n;
    EXPECT_EQ(summary.max_abs, expected.max_abs) << n;
    EXPECT_EQ(cuda::summarize_spectrum(f, cuda::Histogram::no, queue()).nonlinearity, expected.nonlinearity)
        << n;
  }
}

// Rothaus 1976: every coefficient of the inner product is 2^(n/2) in magnitude. A constant has one
// coefficient 2^n.
TEST_F(Gpu, BentAndConstantFunctionsOfThirtyVariables) {
  TruthTable bent(30);
  for (std::size_t w = 0; w < bent.words().size(); ++w) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::size_t x = w * 64 + i;
      word |= static_cast<std::uint64_t>(std::popcount(x & 0x7fff & x >> 15) % 2) << i;
    }
    bent.words()[w] = word;
  }
  const SpectrumSummary summary = cuda::summarize_spectrum(bent, cuda::Histogram::yes, queue());
  EXPECT_EQ(summary.nonlinearity, (1u << 29) - (1u << 14));
  std::uint64_t total = 0;
  for (const auto& [value, count] : summary.histogram) {
    EXPECT_EQ(std::abs(value), 1 << 15);
    total += count;
  }
  EXPECT_EQ(total, std::uint64_t{1} << 30);
  const SpectrumSummary constant = cuda::summarize_spectrum(TruthTable(30), cuda::Histogram::yes, queue());
  EXPECT_EQ(constant.nonlinearity, 0u);
  EXPECT_EQ(constant.histogram, (std::map<std::int64_t, std::uint64_t>{{0, (1u << 30) - 1}, {1 << 30, 1}}));
}

TYPED_TEST(GpuOf, ConvolutionEqualsTheCpu) {
  using T = TypeParam;
  if constexpr (!std::is_same_v<T, std::int32_t>) {
    for (const int n : {0, 1, 2, 7, 11, 12, 13, 14, 15, 18, 21, 22, 23, 24}) {
      const std::size_t size = std::size_t{1} << n;
      auto f = random_values<T>(size, 1, 1);
      auto g = random_values<T>(size, 1, 2);
      auto expected = f;
      auto other = g;
      dyadic_convolve(std::span(expected), std::span(other));
      auto self = f;
      auto expected_self = f;
      dyadic_autocorrelate(std::span(expected_self));
      cuda::dyadic_convolve(std::span(f), std::span(g), this->queue());
      cuda::dyadic_convolve(std::span(self), std::span(self), this->queue());
      // Both round in their own order: the difference stays below a part of the root of the sum of squares.
      const double tolerance =
          std::is_integral_v<T>
              ? 0
              : std::sqrt(size) * n * 40 * std::numeric_limits<T>::epsilon() * std::sqrt(size);
      for (std::size_t s = 0; s < size; ++s) {
        ASSERT_LE(std::abs(static_cast<double>(f[s] - expected[s])), tolerance)
            << "n = " << n << ", s = " << s;
        ASSERT_LE(std::abs(static_cast<double>(self[s] - expected_self[s])), tolerance) << "n = " << n;
      }
    }
  }
}

TEST_F(Gpu, ConvolutionOverflowIsReportedBeforeTheWork) {
  std::vector<std::int64_t> f(4, std::int64_t{1} << 31), g = f;
  EXPECT_THROW(cuda::dyadic_convolve(std::span(f), std::span(g), queue()), Error);
  std::vector<std::int64_t> wide{INT64_MAX, 0}, one{1, 0};
  EXPECT_THROW(cuda::dyadic_convolve(std::span(wide), std::span(one), queue()), Error);
  EXPECT_THAT(wide, testing::ElementsAre(INT64_MAX, 0));
}

template <class T>
void expect_table(Gpu&, const CharacterGroup& group, const TableTile& tile, RowOrder order,
                  const cuda::Queue& queue) {
  std::vector<T> expected(tile.rows * tile.columns);
  character_table(group, tile, std::span(expected), order);
  Buffer<T> out(queue.stream, expected.size(), Contents::open);
  cuda::character_table(group, tile, out.span(), order, queue);
  std::vector<T> result(expected.size());
  device::copy_to_host(std::span<T>(result), out.span(), queue.stream);
  queue.stream.synchronize();
  EXPECT_TRUE(result == expected);
}

TEST_F(Gpu, CharacterTablesAreTheCpusToTheLastBit) {
  for (const char* name :
       {"2", "3", "4", "3^7", "2x3x4x5", "2^11", "7x2x9", "1", "2000", "12289", "20011", "257x3"}) {
    const CharacterGroup group = CharacterGroup::parse(name);
    SCOPED_TRACE(name);
    const std::uint64_t rows = std::min<std::uint64_t>(group.order(), 200);
    const TableTile top{0, rows, 0, group.order()};
    const TableTile middle{group.order() / 3, std::min<std::uint64_t>(rows, group.order() / 2),
                           group.order() / 5, group.order() / 2};
    for (const TableTile& tile : {top, middle}) {
      for (const RowOrder order : {RowOrder::kronecker, RowOrder::equation1}) {
        if (group.modulus() <= 256) expect_table<std::uint8_t>(*this, group, tile, order, queue());
        expect_table<std::uint16_t>(*this, group, tile, order, queue());
        expect_table<std::complex<float>>(*this, group, tile, order, queue());
        expect_table<std::complex<double>>(*this, group, tile, order, queue());
      }
    }
  }
}

TEST_F(Gpu, TilesOfEnormousTables) {
  const CharacterGroup group = CharacterGroup::parse("3^30");
  expect_table<std::uint8_t>(*this, group, {group.order() - 3, 3, group.order() / 2, 100000},
                             RowOrder::kronecker, queue());
}

// Every algorithm of the paper, at every size it takes up to 2^20, against Algorithm 0's definition.
TEST_F(Gpu, PaperAlgorithmsAgree) {
  for (int n = 0; n <= 20; ++n) {
    const auto f = random_values<std::int32_t>(std::size_t{1} << n, 99, static_cast<std::uint64_t>(n));
    auto expected = f;
    walsh(std::span(expected), n);
    if (n <= 12) {
      ASSERT_EQ(expected, test::walsh_definition<std::int32_t>(f));
    }
    const Buffer<std::int32_t> other(*stream, f.size(), Contents::open);
    for (int algorithm = 1; algorithm <= 6; ++algorithm) {
      if (algorithm == 6 && n < 5) continue;
      for (const std::uint32_t m : {1u, 2u, 32u}) {
        if (m != 1 && (algorithm != 3 || m > f.size())) continue;
        const auto data = upload(f);
        cuda::paper_walsh(algorithm, data.span(), other.span(), {.values_per_thread = m}, queue());
        ASSERT_EQ(download(data.span()), expected)
            << "algorithm " << algorithm << ", n = " << n << ", M = " << m;
      }
    }
    for (const std::uint32_t threads : {32u, 128u}) {
      const auto data = upload(f);
      cuda::paper_walsh(1, data.span(), other.span(), {.threads = threads}, queue());
      ASSERT_EQ(download(data.span()), expected) << threads << " threads, n = " << n;
    }
  }
}

TEST_F(Gpu, PaperAlgorithmsRefuseWhatTheyCannotDo) {
  const Buffer<std::int32_t> large(*stream, 1 << 21, Contents::open);
  const auto text = [&](int algorithm, std::size_t size, const cuda::PaperOptions& options) {
    try {
      cuda::paper_walsh(algorithm, large.span().subspan(0, size), large.span(), options, queue());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::usage);
      return error.text();
    }
    return std::string("no error");
  };
  EXPECT_EQ(text(5, 1 << 21, {}), "algorithm 5 takes 2^0 to 2^20 values, not 2^21");
  EXPECT_EQ(text(6, 1 << 4, {}), "algorithm 6 takes 2^5 to 2^20 values, not 2^4");
  EXPECT_EQ(text(7, 1 << 4, {}), "there is no parallel algorithm 7; choose 1 to 6");
  EXPECT_EQ(text(3, 1 << 2, {.values_per_thread = 8}),
            "algorithm 3 cannot give a thread more values than there are");
}

TEST_F(Gpu, PaperConvolutionIsExampleThreeAndTheFastOne) {
  const auto example = upload(std::vector<std::int64_t>{1, 0, 1, 1});
  const auto other = upload(std::vector<std::int64_t>{0, 1, 0, 1});
  cuda::paper_convolve(example.span(), other.span(), queue());
  EXPECT_THAT(download(example.span()), testing::ElementsAre(1, 2, 1, 2));
  for (const int n : {0, 4, 11, 20}) {
    auto f = random_values<std::int64_t>(std::size_t{1} << n, 1, 1);
    auto g = random_values<std::int64_t>(std::size_t{1} << n, 1, 2);
    const auto df = upload(f), dg = upload(g);
    cuda::paper_convolve(df.span(), dg.span(), queue());
    dyadic_convolve(std::span(f), std::span(g));
    EXPECT_EQ(download(df.span()), f) << n;
  }
}

TEST_F(Gpu, PaperKroneckerTablesAreTheFastOnes) {
  for (const auto& [p, m] : {std::pair{3u, 1}, {3u, 2}, {3u, 6}, {2u, 10}, {4u, 4}, {64u, 2}}) {
    std::uint64_t side = 1;
    for (int i = 0; i < m; ++i) side *= p;
    const Buffer<std::complex<float>> first(*stream, side * side, Contents::open);
    const Buffer<std::complex<float>> second(*stream, side * side, Contents::open);
    const auto made = download(cuda::paper_characters(p, m, first.span(), second.span(), queue()));
    const CharacterGroup group(std::vector<std::uint32_t>(static_cast<std::size_t>(m), p));
    std::vector<std::complex<float>> expected(side * side);
    character_table(group, whole_table(group), std::span(expected));
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(std::abs(made[i] - expected[i]), 0, 4e-6) << p << "^" << m;
  }
}

}  // namespace
}  // namespace fugu::spectral
