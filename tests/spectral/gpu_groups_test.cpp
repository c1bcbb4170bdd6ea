// Compares transforms over groups on a GPU with the CPU's, within rounding.
#include "fugu/spectral/cuda/papers/papers.hpp"
#include "fugu/spectral/groups/characters.hpp"
#include "fugu/spectral/papers/papers.hpp"
#include "spectral/gpu_fixture.hpp"

namespace fugu::spectral {
namespace {

using GroupGpu = test::Gpu;

constexpr const char* kGroups[] = {"3",   "2^4",     "3^5",       "3^10", "2x3x4x5x7", "6x2^3x3^2x11",
                                   "5^7", "37x3x64", "3x101x2^5", "32^3", "1x3x1",     "1024x9"};

template <class T>
void expect_near(const std::vector<std::complex<T>>& found, const std::vector<std::complex<T>>& expected,
                 double relative) {
  double largest = 0, error = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    largest = std::max(largest, static_cast<double>(std::abs(expected[i])));
    error = std::max(error, static_cast<double>(std::abs(found[i] - expected[i])));
  }
  EXPECT_LE(error, relative * largest);
}

template <class T>
void expect_complex(double relative, const device::Stream& stream) {
  for (const char* name : kGroups) {
    SCOPED_TRACE(name);
    const CharacterGroup group = CharacterGroup::parse(name);
    std::mt19937 random(2);
    std::vector<std::complex<T>> values(static_cast<std::size_t>(2 * group.order()));
    for (auto& value : values)
      value = {static_cast<T>(random() % 2001) - 1000, static_cast<T>(random() % 2001) - 1000};
    std::vector<std::complex<T>> gpu = values, cpu = values;
    cuda::vilenkin_chrestenson(group, std::span(gpu), stream);
    vilenkin_chrestenson(group, std::span(cpu));
    expect_near(gpu, cpu, relative);
    cuda::inverse_vilenkin_chrestenson(group, std::span(gpu), stream);
    expect_near(gpu, values, relative);
  }
}

TEST_F(GroupGpu, Complex64EqualsTheCpus) {
  expect_complex<float>(1e-4, *stream);
}

TEST_F(GroupGpu, Complex128EqualsTheCpus) {
  expect_complex<double>(1e-12, *stream);
}

TEST_F(GroupGpu, PartsOfRowsAreRefused) {
  const CharacterGroup group = CharacterGroup::parse("3^2");
  std::vector<std::complex<float>> values(10);
  EXPECT_EQ(test::usage_error([&] { cuda::vilenkin_chrestenson(group, std::span(values), *stream); }),
            "10 values are not whole rows of 9, the group's order");
}

// Compares the papers' algorithms on a GPU with the definition and with the algorithms that replace them.

// Compares every algorithm of the paper, at every size that it takes up to 2^20, with Algorithm 0, and this
// one with the definition.
TEST_F(Gpu, PaperAlgorithmsAgree) {
  for (int n = 0; n <= 20; ++n) {
    const auto f = random_values<std::int32_t>(std::size_t{1} << n, 99, static_cast<std::uint64_t>(n));
    auto expected = f;
    paper_walsh_0(expected);
    if (n <= 12) {
      ASSERT_EQ(expected, test::walsh_definition<std::int32_t>(f));
    }
    const Buffer<std::int32_t> other(*stream, f.size(), Contents::open);
    for (int algorithm = 1; algorithm <= 6; ++algorithm) {
      if (algorithm == 6 && n < 5) continue;
      for (const std::uint32_t m : {1u, 2u, 32u}) {
        if (m != 1 && (algorithm != 3 || m > f.size())) continue;
        const auto data = upload(f);
        cuda::paper_walsh(algorithm, data.span(), other.span(), {.values_per_thread = m}, *stream);
        ASSERT_EQ(download(data.span()), expected)
            << "algorithm " << algorithm << ", n = " << n << ", M = " << m;
      }
    }
    for (const std::uint32_t threads : {32u, 128u}) {
      const auto data = upload(f);
      cuda::paper_walsh(1, data.span(), other.span(), {.threads = threads}, *stream);
      ASSERT_EQ(download(data.span()), expected) << threads << " threads, n = " << n;
    }
  }
}

// Takes larger sizes, up to the largest, for which the sequential algorithm is slow. A delta becomes a row of
// the matrix.
TEST_F(Gpu, PaperAlgorithmsAtTheirLargestSizes) {
  for (const int n : {21, 25, 30}) {
    const std::size_t size = std::size_t{1} << n, at = size / 7 * 3;
    const Buffer<std::int32_t> data(*stream, size, Contents::open), other(*stream, size, Contents::open);
    for (int algorithm = 1; algorithm <= 4; ++algorithm) {
      device::wipe(data.span(), *stream);
      device::copy_to_device(data.span().subspan(at, 1), std::vector<std::int32_t>{1}, *stream);
      cuda::paper_walsh(algorithm, data.span(), other.span(), {}, *stream);
      const auto spectrum = download(data.span());
      std::size_t wrong = 0;
      for (std::size_t a = 0; a < size; ++a) wrong += spectrum[a] != test::sign(a, at);
      EXPECT_EQ(wrong, 0u) << "algorithm " << algorithm << ", n = " << n;
    }
  }
}

TEST_F(Gpu, PaperAlgorithmsRefuseWhatTheyCannotDo) {
  const Buffer<std::int32_t> large(*stream, 1 << 21, Contents::open);
  const auto text = [&](int algorithm, std::size_t size, const cuda::PaperOptions& options) {
    return test::usage_error(
        [&] { cuda::paper_walsh(algorithm, large.span().subspan(0, size), large.span(), options, *stream); });
  };
  EXPECT_EQ(text(5, 1 << 21, {}), "algorithm 5 takes 2^0 to 2^20 values, not 2^21");
  EXPECT_EQ(text(6, 1 << 4, {}), "algorithm 6 takes 2^5 to 2^20 values, not 2^4");
  EXPECT_EQ(text(7, 1 << 4, {}), "there is no parallel algorithm 7; choose 1 to 6");
  EXPECT_EQ(text(3, 1 << 2, {.values_per_thread = 8}),
            "algorithm 3: more values per thread than there are values");
}

TEST_F(Gpu, PaperConvolutionIsExampleThreeAndTheFastOne) {
  const auto example = upload(std::vector<std::int64_t>{1, 0, 1, 1});
  const auto other = upload(std::vector<std::int64_t>{0, 1, 0, 1});
  cuda::paper_convolve(example.span(), other.span(), *stream);
  EXPECT_THAT(download(example.span()), testing::ElementsAre(1, 2, 1, 2));
  for (const int n : {0, 4, 11, 20}) {
    auto f = random_values<std::int64_t>(std::size_t{1} << n, 1, 1);
    auto g = random_values<std::int64_t>(std::size_t{1} << n, 1, 2);
    const auto df = upload(f), dg = upload(g);
    cuda::paper_convolve(df.span(), dg.span(), *stream);
    dyadic_convolve(std::span(f), std::span(g));
    EXPECT_EQ(download(df.span()), f) << n;
  }
}

TEST_F(Gpu, PaperKroneckerTablesAreTheFastOnes) {
  for (const auto& [p, m] : {std::pair{3u, 1}, {3u, 2}, {3u, 6}, {2u, 10}, {4u, 4}, {64u, 2}}) {
    std::size_t side = 1;
    for (int i = 0; i < m; ++i) side *= p;
    const Buffer<std::complex<float>> first(*stream, side * side, Contents::open);
    const Buffer<std::complex<float>> second(*stream, side * side, Contents::open);
    const auto made = download(cuda::paper_characters(p, m, first.span(), second.span(), *stream));
    const CharacterGroup group(std::vector<std::uint32_t>(static_cast<std::size_t>(m), p));
    std::vector<std::complex<float>> expected(side * side);
    character_table(group, whole_table(group), std::span(expected));
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(std::abs(made[i] - expected[i]), 0, 4e-6) << p << "^" << m;
  }
}

// Spectra of Boolean functions on a GPU, compared with those of the CPU and with closed forms.

TEST_F(Gpu, BooleanSpectrumAndSummaryEqualTheCpu) {
  for (const int n : {1, 4, 5, 9, 13, 14, 15, 17, 18, 19, 20, 21, 22, 23, 24, 25}) {
    const TruthTable f = random_function(n, static_cast<std::uint64_t>(n));
    const auto there = upload(cuda::packed_words(f));
    Buffer<std::int32_t> out(*stream, f.size(), Contents::open);
    cuda::boolean_spectrum(there.span(), n, out.span(), *stream);
    ASSERT_EQ(download(out.span()), walsh_spectrum(f)) << n;
    const SpectrumSummary expected = summarize_spectrum(f);
    const SpectrumSummary summary = cuda::summarize_spectrum(f, cuda::Counting::yes, *stream);
    EXPECT_EQ(summary.histogram, expected.histogram) << n;
    EXPECT_EQ(summary.max_abs, expected.max_abs) << n;
    EXPECT_EQ(cuda::summarize_spectrum(f, cuda::Counting::no, *stream).nonlinearity, expected.nonlinearity)
        << n;
  }
}

TruthTable function_of(int n, auto bit) {
  TruthTable f(n);
  for (std::size_t w = 0; w < f.words().size(); ++w) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < 64; ++i) word |= std::uint64_t{bit(w * 64 + i)} << i;
    f.words()[w] = word;
  }
  return f;
}

// Rothaus 1976: every coefficient of the inner product is 2^(n/2) in magnitude.
TEST_F(Gpu, BentFunctions) {
  for (const int n : {18, 20, 22, 24, 30}) {
    const std::uint64_t low = (std::uint64_t{1} << n / 2) - 1;
    const TruthTable bent =
        function_of(n, [&](std::uint64_t x) { return std::popcount(x & low & x >> n / 2) % 2 == 1; });
    const SpectrumSummary summary = cuda::summarize_spectrum(bent, cuda::Counting::yes, *stream);
    EXPECT_EQ(summary.nonlinearity, (1u << (n - 1)) - (1u << (n / 2 - 1))) << n;
    EXPECT_EQ(cuda::summarize_spectrum(bent, cuda::Counting::no, *stream).max_abs, low + 1) << n;
    std::uint64_t total = 0;
    for (const auto& [value, count] : summary.histogram) {
      EXPECT_EQ(std::abs(value), 1 << n / 2) << n;
      total += count;
    }
    EXPECT_EQ(total, std::uint64_t{1} << n) << n;
  }
}

// (-1)^(a.x + c) has one nonzero coefficient, 2^n or -2^n. For a = 0 the function is constant.
TEST_F(Gpu, AffineFunctions) {
  for (const int n : {18, 19, 20, 21, 22, 23, 24, 30}) {
    const std::int64_t all = std::int64_t{1} << n;
    for (const std::uint64_t a : {std::uint64_t{0}, static_cast<std::uint64_t>(all / 3)}) {
      const bool c = n % 2 == 0;
      const TruthTable f =
          function_of(n, [&](std::uint64_t x) { return (std::popcount(a & x) % 2 == 1) != c; });
      const SpectrumSummary summary = cuda::summarize_spectrum(f, cuda::Counting::yes, *stream);
      EXPECT_EQ(summary.nonlinearity, 0u) << n;
      EXPECT_EQ(summary.histogram, (std::map<std::int64_t, std::uint64_t>{
                                       {0, static_cast<std::uint64_t>(all - 1)}, {c ? -all : all, 1}}))
          << n;
      EXPECT_EQ(cuda::summarize_spectrum(f, cuda::Counting::no, *stream).nonlinearity, 0u) << n;
    }
  }
}

}  // namespace
}  // namespace fugu::spectral
