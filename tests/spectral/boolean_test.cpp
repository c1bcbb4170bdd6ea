#include "fugu/spectral/boolean.hpp"

#include <tuple>

#include "fugu/spectral/limits.hpp"
#include "fugu/threads/thread_pool.hpp"
#include "spectral/support.hpp"

namespace fugu::spectral {
namespace {

template <class F>
TruthTable table_of(int n, F f) {
  TruthTable table(n);
  for (std::size_t x = 0; x < table.size(); ++x) table.set(x, f(x));
  return table;
}

std::vector<int> polarity(const TruthTable& f) {
  std::vector<int> values(f.size());
  for (std::size_t x = 0; x < f.size(); ++x) values[x] = f[x] ? -1 : 1;
  return values;
}

template <class T>
void expect_expanded(const TruthTable& table, TableMeans means, T zero, T one) {
  std::vector<T> values(table.size());
  expand(std::as_bytes(std::span(table.words())), means, std::span(values));
  for (std::size_t x = 0; x < table.size(); ++x) EXPECT_EQ(values[x], table[x] ? one : zero) << x;
}

TEST(Boolean, BitsBecomeNumbersAndBytesBits) {
  for (int n = 0; n <= 9; ++n) {
    const TruthTable table = random_function(n, 11);
    expect_expanded<std::uint8_t>(table, TableMeans::bits, 0, 1);
    expect_expanded<std::int32_t>(table, TableMeans::polarity, 1, -1);
    expect_expanded<std::int64_t>(table, TableMeans::bits, 0, 1);
    expect_expanded<float>(table, TableMeans::polarity, 1, -1);
    expect_expanded<double>(table, TableMeans::bits, 0, 1);
  }
  std::vector<std::uint8_t> bytes{1, 0, 1, 1, 0, 0, 0, 0, 0, 1};
  std::uint64_t word = 0;
  EXPECT_TRUE(pack(bytes, word));
  EXPECT_EQ(word, 0x20du);
  bytes[9] = 2;
  EXPECT_FALSE(pack(bytes, word));
}

TEST(Boolean, SpectrumAndAutocorrelationEqualTheDefinition) {
  for (int n = 0; n <= (::fugu::test::kSanitized ? 10 : 12); ++n) {
    const TruthTable f = random_function(n, static_cast<std::uint64_t>(n));
    EXPECT_EQ(walsh_spectrum(f), test::walsh_definition<std::int32_t>(polarity(f))) << n;
    EXPECT_EQ(autocorrelation(f), test::convolution_definition<std::int64_t>(polarity(f), polarity(f))) << n;
  }
}

// Rows have 2^7 values, the fewest possible, so that n = 16 and more take several column passes.
TEST(Boolean, AnyNumberOfPassesGivesTheSame) {
  threads::ThreadPool pool(2);
  for (const int n : {8, 15, 16, 18}) {
    const TruthTable f = random_function(n, 5);
    const WalshLimits limits{.cache_bits = 6};
    const WalshOptions narrow{.pool = &pool, .limits = &limits};
    EXPECT_EQ(walsh_spectrum(f, narrow), walsh_spectrum(f)) << n;
    EXPECT_EQ(summarize_spectrum(f, narrow).histogram, summarize_spectrum(f).histogram) << n;
  }
}

TEST(Boolean, SummaryCountsTheSpectrum) {
  threads::ThreadPool pool(2);
  for (const int n : {0, 1, 5, 12, 16, 17, 19, 21}) {
    if (::fugu::test::kSanitized && n > 19) continue;
    const TruthTable f = random_function(n, 3);
    std::map<std::int64_t, std::uint64_t> expected;
    std::int64_t largest = 0;
    for (const std::int32_t w : walsh_spectrum(f)) {
      ++expected[w];
      largest = std::max<std::int64_t>(largest, std::abs(w));
    }
    const SpectrumSummary summary = summarize_spectrum(f, {.pool = &pool});
    EXPECT_EQ(summary.histogram, expected) << n;
    EXPECT_EQ(summary.max_abs, static_cast<std::uint64_t>(largest)) << n;
    EXPECT_EQ(summary.nonlinearity, (f.size() - summary.max_abs) / 2) << n;
  }
}

// The product of all variables differs from 0 in one place only, so it is far from balanced: W is the
// spectrum of 0 minus twice a row of the matrix.
TEST(Boolean, ProductOfAllVariablesHasItsClosedForm) {
  for (const int n : {0, 1, 2, 7, 16, 21}) {
    const std::size_t last = (std::size_t{1} << n) - 1;
    const TruthTable f = table_of(n, [&](std::size_t x) { return x == last; });
    const auto spectrum = walsh_spectrum(f);
    for (std::size_t a = 0; a <= last; ++a)
      ASSERT_EQ(spectrum[a], (a == 0 ? std::int32_t{1} << n : 0) - 2 * test::sign(a, last)) << n;
    EXPECT_EQ(summarize_spectrum(f).nonlinearity, n < 2 ? 0u : 1u) << n;
  }
}

// Rothaus 1976: the inner product is bent, |W| = 2^(n/2) everywhere, and its autocorrelation is a delta.
TEST(Boolean, InnerProductIsBent) {
  for (const int half : {1, 2, 5, 10}) {
    const int n = 2 * half;
    const std::size_t low = (std::size_t{1} << half) - 1;
    const TruthTable f = table_of(n, [&](std::size_t x) { return parity(x & low & x >> half) == 1; });
    for (const auto& [value, count] : summarize_spectrum(f).histogram) EXPECT_EQ(std::abs(value), 1 << half);
    EXPECT_EQ(summarize_spectrum(f).nonlinearity,
              (std::size_t{1} << (n - 1)) - (std::size_t{1} << (half - 1)));
    const auto r = autocorrelation(f);
    EXPECT_EQ(r[0], 1 << n);
    EXPECT_TRUE(std::all_of(r.begin() + 1, r.end(), [](std::int64_t x) { return x == 0; }));
  }
}

TEST(TruthTable, TextsListTheValuesInOrder) {
  const TruthTable f = TruthTable::from_bits("0001 1011\n");
  EXPECT_EQ(f.variables(), 3);
  EXPECT_TRUE(f[3] && f[4] && !f[5] && f[6] && f[7]);
  EXPECT_EQ(f.to_hex(), "1b");
  EXPECT_EQ(TruthTable::from_hex("1B"), f);
  EXPECT_EQ(TruthTable::from_bits(f.to_bits()), f);
  const TruthTable g = random_function(9, 4);
  EXPECT_EQ(TruthTable::from_hex(g.to_hex()), g);
  EXPECT_EQ(TruthTable::from_bits("1").variables(), 0);
}

TEST(TruthTable, PolynomialsAreEvaluated) {
  const TruthTable f = TruthTable::from_polynomial("1 + x0 x2 + x3*x1 ^ x2 + x2", 4);
  for (std::size_t x = 0; x < 16; ++x) {
    const bool value = !(((x & 1) != 0 && (x & 4) != 0) != ((x & 8) != 0 && (x & 2) != 0));
    EXPECT_EQ(f[x], value) << x;
  }
  EXPECT_EQ(TruthTable::from_polynomial("0", 3), TruthTable(3));
  EXPECT_EQ(algebraic_degree(f), 2);
}

TEST(TruthTable, MoebiusEqualsItsDefinitionAndIsItsOwnInverse) {
  for (const int n : {0, 1, 3, 6, 8, 10}) {
    const TruthTable f = random_function(n, 8);
    const TruthTable form = moebius(f);
    for (std::size_t m = 0; m < f.size(); ++m) {
      bool sum = false;
      for (std::size_t x = 0; x <= m; ++x) sum = sum != ((x & ~m) == 0 && f[x]);
      ASSERT_EQ(form[m], sum);
    }
    EXPECT_EQ(moebius(form), f);
  }
}

// A text is read in pieces by several threads, with separators anywhere.
TEST(TruthTable, LongTextsAreReadInPieces) {
  const TruthTable f = random_function(18, 9);
  threads::ThreadPool pool(3);
  std::mt19937_64 generator(1);
  const auto sprinkled = [&](const std::string& text) {
    std::string result;
    for (const char c : text) {
      if (generator() % 50 == 0) result += " \t\n_\r\v"[generator() % 6];
      result += c;
    }
    return result;
  };
  std::string bits;
  std::string hex;
  for (std::size_t x = 0; x < f.size(); ++x) bits += test::bit(f.words(), x) ? '1' : '0';
  for (std::size_t x = 0; x < f.size(); x += 4) {
    const auto value = [&](std::size_t i) { return test::bit(f.words(), x + i) ? 1u : 0u; };
    hex += "0123456789aBcDeF"[value(0) * 8 + value(1) * 4 + value(2) * 2 + value(3)];
  }
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(TruthTable::from_bits(sprinkled(bits), {.pool = &pool}), f);
    EXPECT_EQ(TruthTable::from_hex(sprinkled(hex), {.pool = &pool}), f);
  }
  EXPECT_EQ(f.to_bits(), bits);
  std::ranges::transform(hex, hex.begin(), [](char c) { return c >= 'A' && c <= 'F' ? c + 32 : c; });
  EXPECT_EQ(f.to_hex(), hex);
  for (const std::size_t at : {std::size_t{262000}, std::size_t{100000}, std::size_t{70001}}) {
    bits[at] = '2';  // the error names the first wrong character
    EXPECT_EQ(usage_error([&] { TruthTable::from_bits(bits, {.pool = &pool}); }),
              "character " + std::to_string(at + 1) + " ('2') is not 0 or 1");
  }
}

// Uses the definition of the transform over the whole index, one bit at a time.
TEST(TruthTable, LargeMoebiusTransformsEqualTheDefinitionWhereItIsCheap) {
  const int n = ::fugu::test::kSanitized ? 21 : 22;
  TruthTable f(n);
  std::vector<std::size_t> ones;
  std::mt19937_64 generator(2);
  for (int i = 0; i < 40; ++i) ones.push_back(static_cast<std::size_t>(generator() % f.size()));
  for (const std::size_t x : ones) f.words()[x / 64] ^= std::uint64_t{1} << (x % 64);
  const TruthTable form = moebius(f, {.threads = 2});
  int degree = -1;
  for (std::size_t m = 0; m < f.size(); ++m) {
    bool sum = false;
    for (const std::size_t x : ones) sum = sum != ((x & ~m) == 0);
    ASSERT_EQ(form[m], sum) << m;
    if (sum) degree = std::max(degree, std::popcount(m));
  }
  EXPECT_EQ(algebraic_degree(f, {.threads = 2}), degree);
}

TEST(TruthTable, DegreeIsThatOfTheLargestMonomial) {
  EXPECT_EQ(algebraic_degree(TruthTable(0)), -1);
  EXPECT_EQ(algebraic_degree(TruthTable(9)), -1);
  EXPECT_EQ(algebraic_degree(TruthTable::from_polynomial("1", 9)), 0);
  for (const std::size_t monomial : {1u, 5u, 63u, 64u, 255u, 256u + 7u}) {
    TruthTable form(9);
    form.set(monomial, true);
    EXPECT_EQ(algebraic_degree(moebius(form)), std::popcount(monomial));
    form.set(16, true);
    form.set(0, true);
    EXPECT_EQ(algebraic_degree(moebius(form)), std::popcount(monomial));
  }
}

TEST(TruthTable, IndicesOutOfRangeAreRefused) {
  TruthTable small(2);
  EXPECT_EQ(usage_error([&] { small.set(4, true); }),
            "there is no f(4): a function of 2 variables ends at 3");
  EXPECT_EQ(usage_error([&] { static_cast<void>(small[63]); }),
            "there is no f(63): a function of 2 variables ends at 3");
  TruthTable large(7);
  EXPECT_EQ(usage_error([&] { large.set(1 << 20, true); }),
            "there is no f(1048576): a function of 7 variables ends at 127");
  EXPECT_EQ(usage_error([&] { static_cast<void>(large[128]); }),
            "there is no f(128): a function of 7 variables ends at 127");
  EXPECT_EQ(usage_error([] { TruthTable(7, std::vector<std::uint64_t>(3)); }),
            "7 variables take 2 words, not 3");
  EXPECT_EQ(TruthTable(1, {~std::uint64_t{0}}), TruthTable::from_bits("11"));
}

TEST(TruthTable, ErrorsSayWhatIsWrong) {
  EXPECT_EQ(usage_error([] { TruthTable::from_bits("01 2"); }), "the length is 3, not a power of two");
  EXPECT_EQ(usage_error([] { TruthTable::from_bits("01 20"); }), "character 4 ('2') is not 0 or 1");
  EXPECT_EQ(usage_error([] { TruthTable::from_hex("0g"); }), "character 2 ('g') is not a hexadecimal digit");
  EXPECT_EQ(usage_error([] { TruthTable::from_bits(""); }), "the length is 0, not a power of two");
  EXPECT_EQ(usage_error([] { TruthTable(31); }), "31 variables: 0 to 30 are possible");
  const char* follows = "the polynomial ends where a term should follow";
  const auto wrong = [](const char* character) {
    return "character " + std::string(character) + " is not '+', '*' or a space, which follow a 0 or 1";
  };
  for (const auto& [polynomial, variables, error] : std::vector<std::tuple<const char*, int, std::string>>{
           {"x0 + x7", 4, "'x7' is not one of x0 to x3"},
           {"x0 +", 4, follows},
           {"x0 *", 4, follows},
           {"x0 - x1", 4, "character 4 ('-') is not 0, 1 or a variable x0, x1, ..."},
           {"10x0", 4, wrong("2 ('0')")},
           {"x1 + 11", 4, wrong("7 ('1')")},
           {"x0", 0, "'x0': a function of 0 variables has none"}})
    EXPECT_EQ(usage_error([text = polynomial, n = variables] { TruthTable::from_polynomial(text, n); }),
              error)
        << polynomial;
}

}  // namespace
}  // namespace fugu::spectral
