// Spectra of Boolean functions on a GPU, compared with those of the CPU and with closed forms.
#include "fugu/spectral/cuda/walsh.hpp"
#include "spectral/definition.hpp"
#include "spectral/gpu_fixture.hpp"
#include "support/testing.hpp"

namespace fugu::spectral {
namespace {

TEST_F(Gpu, BooleanSpectrumAndSummaryEqualTheCpu) {
  for (const int n : {1, 4, 5, 9, 13, 14, 15, 17, 18, 19, 20, 21, 22, 23, 24, 25}) {
    TruthTable f(n);
    f.words() = test::random_bits(n, static_cast<std::uint64_t>(n));
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
