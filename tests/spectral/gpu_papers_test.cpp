// Compares the papers' algorithms on a GPU with the definition and with the algorithms that replace them.
#include "fugu/spectral/cuda/papers/papers.hpp"
#include "fugu/spectral/dyadic.hpp"
#include "fugu/spectral/groups/characters.hpp"
#include "fugu/spectral/papers/papers.hpp"
#include "spectral/definition.hpp"
#include "spectral/gpu_fixture.hpp"
#include "spectral/usage_error.hpp"
#include "support/testing.hpp"

namespace fugu::spectral {
namespace {

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

}  // namespace
}  // namespace fugu::spectral
