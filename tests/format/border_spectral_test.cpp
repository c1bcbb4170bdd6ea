// Every function of spectral is called while memory runs out: only fugu::Error leaves the library.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <type_traits>

#include "fugu/spectral/boolean.hpp"
#include "fugu/spectral/characters.hpp"
#include "fugu/spectral/digits.hpp"
#include "fugu/spectral/dyadic.hpp"
#include "fugu/spectral/exactness.hpp"
#include "fugu/spectral/papers/papers.hpp"
#include "fugu/spectral/properties.hpp"
#include "fugu/spectral/sbox/algebra.hpp"
#include "fugu/spectral/sbox/anomalies.hpp"
#include "fugu/spectral/sbox/autocorrelation.hpp"
#include "fugu/spectral/sbox/avalanche.hpp"
#include "fugu/spectral/sbox/basic.hpp"
#include "fugu/spectral/sbox/boomerang.hpp"
#include "fugu/spectral/sbox/differential.hpp"
#include "fugu/spectral/sbox/equations.hpp"
#include "fugu/spectral/sbox/equivalence.hpp"
#include "fugu/spectral/sbox/exhaustive.hpp"
#include "fugu/spectral/sbox/invariants.hpp"
#include "fugu/spectral/sbox/linear.hpp"
#include "fugu/spectral/sbox/named.hpp"
#include "fugu/spectral/sbox/transparency.hpp"
#include "fugu/spectral/sbox/univariate.hpp"
#include "fugu/spectral/stages.hpp"
#include "fugu/spectral/vilenkin_chrestenson.hpp"
#include "fugu/threads/thread_pool.hpp"
#include "shortage.hpp"

namespace fugu::spectral {
namespace {

using test::expect_errors_only;

constexpr int kSharedBits = 18;  // so many values are divided among threads
threads::ThreadPool two_threads(2);
const WalshOptions kTwoThreads{.pool = &two_threads};

// Takes a call that works in place. It is given the same values each time, and a sum of its results is
// compared.
template <class T, class Work>
void expect_errors_only_in_place(std::size_t values, Work work) {
  std::vector<T> data(values);
  expect_errors_only([&] {
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<T>(static_cast<int>(i % 5));
    work(std::span<T>(data));
    using Sum = std::conditional_t<std::is_same_v<T, float>, double, T>;  // exact, so no rounding differs
    Sum sum{};
    for (std::size_t i = 0; i < data.size(); ++i)
      sum += static_cast<Sum>(data[i]) * static_cast<Sum>(static_cast<int>(i % 7));
    return sum;
  });
}

// Takes a call that refuses its arguments. It says so unless there is no memory for the message.
template <class Call>
void expect_refusal(const Call& call) {
  expect_errors_only([&] {
    try {
      call();
    } catch (const Error& error) {
      if (error.code() != Errc::usage) throw;
      return true;
    }
    return false;
  });
}

TruthTable function_of(int variables) {
  TruthTable function(variables);
  for (std::size_t x = 0; x < function.size(); ++x) function.set(x, x * x % 11 < 4);
  return function;
}

// Only the library allocates memory for this function.
TruthTable alternating(int variables) {
  TruthTable function(variables);
  std::ranges::fill(function.words(), 0x5a5a5a5a3c3c3c3cu);
  return function;
}

TEST(BorderOfSpectral, Walsh) {
  for (const int n : {6, kSharedBits}) {
    const std::size_t size = std::size_t{1} << n;
    const WalshOptions options{.ordering = Ordering::sequency, .pool = &two_threads, .cache_bits = 10};
    expect_errors_only_in_place<std::int32_t>(size, [&](auto data) { walsh(data, n, options); });
    expect_errors_only_in_place<double>(size, [&](auto data) {
      walsh(data, n, options);
      inverse_walsh(data, n, options);
    });
    expect_errors_only_in_place<std::int64_t>(size, [&](auto data) { walsh_if_exact(data, n, options); });
    expect_errors_only_in_place<float>(size, [&](auto data) {
      to_ordering(data, Ordering::sequency, options);
      from_ordering(data, Ordering::dyadic, options);
    });
    expect_errors_only_in_place<std::int32_t>(size,
                                              [&](auto data) { walsh_stages(data, 2, n - 2, kTwoThreads); });
    expect_errors_only_in_place<std::int64_t>(size, [&](auto data) {
      data[0] = std::int64_t{1} << 60;
      static_cast<void>(sums_fit(std::span<const std::int64_t>(data), size, kTwoThreads));
    });
    expect_errors_only_in_place<std::int64_t>(size,
                                              [](auto data) { dyadic_autocorrelate(data, kTwoThreads); });
    expect_errors_only_in_place<float>(size, [](auto data) { dyadic_convolve(data, data, kTwoThreads); });
    expect_errors_only_in_place<std::int32_t>(size, [](auto data) { paper_walsh_0(data); });
  }
  std::vector<std::int64_t> large(1024, std::int64_t{1} << 25);  // the products take 128 bits
  expect_errors_only([&] {
    std::ranges::fill(large, std::int64_t{1} << 25);
    dyadic_autocorrelate(std::span(large));
    return large[1];
  });
  expect_refusal([] { log2_exact(1000); });
  std::ranges::fill(large, std::int64_t{1} << 62);
  expect_refusal([&] { convolution_width(large, large); });
}

TEST(BorderOfSpectral, TruthTables) {
  const TruthTable function = function_of(10);
  const std::string bits = function.to_bits();
  const std::string hex = function.to_hex();
  expect_errors_only([] { return TruthTable(10); });
  expect_errors_only([&] { return TruthTable::from_bits(bits); });
  expect_errors_only([&] { return TruthTable::from_hex(hex); });
  expect_errors_only([] { return TruthTable::from_polynomial("1 + x0 x2 + x9*x1", 10); });
  expect_errors_only([&] { return function.to_bits(); });
  expect_errors_only([&] { return function.to_hex(); });
  expect_errors_only([&] { return DigitReader(bits, Digits::bits).read(); });
  expect_errors_only([&] { return polynomial_text(function); });
  expect_refusal([] { TruthTable(31); });
  expect_refusal([] { TruthTable(10, {}); });
  expect_refusal([] { TruthTable::from_bits("0102"); });
  expect_refusal([] { TruthTable::from_polynomial("x0 + x17", 4); });
  expect_refusal([&] { static_cast<void>(function[1024]); });
}

TEST(BorderOfSpectral, BooleanFunctions) {
  for (const int n : {7, kSharedBits}) {
    const TruthTable function = function_of(n);
    expect_errors_only([&] { return walsh_spectrum(function, kTwoThreads); });
    expect_errors_only([&] { return autocorrelation(function, kTwoThreads); });
    expect_errors_only([&] { return summarize_spectrum(function, kTwoThreads).histogram; });
    expect_errors_only([n] { return moebius(alternating(n), kTwoThreads).words().back(); });
    expect_errors_only([n] { return algebraic_degree(alternating(n), kTwoThreads); });
  }
  const TruthTable function = function_of(7);
  expect_errors_only([&] { return properties(function).autocorrelation; });
  std::vector<std::int32_t> short_room(5);
  expect_refusal([&] { walsh_spectrum(function, short_room); });
}

TEST(BorderOfSpectral, Groups) {
  using Complex = std::complex<double>;
  const CharacterGroup group = CharacterGroup::parse("3^4x2");
  const CharacterGroup ternary = CharacterGroup::parse("3^4");
  const std::size_t order = 162;
  const ResidueField field = ResidueField::largest(group);
  std::vector<std::uint8_t> exponents(order * order);
  std::vector<std::uint32_t> values(81);
  for (std::size_t x = 0; x < values.size(); ++x) values[x] = static_cast<std::uint32_t>(x * x % 3);
  std::vector<std::int64_t> integers(values.begin(), values.end());
  const std::vector<std::int64_t> counts = counts_of_exponents(ternary, values);

  expect_errors_only([] { return CharacterGroup::parse("3^4x2").order(); });
  expect_errors_only([] { return roots_of_unity<double>(30); });
  expect_errors_only([&] {
    character_table(group, whole_table(group), std::span(exponents), RowOrder::equation1, 2);
    return exponents[order + 1];
  });
  expect_errors_only_in_place<Complex>(order, [&](auto rows) {
    vilenkin_chrestenson(group, rows);
    inverse_vilenkin_chrestenson(group, rows);
  });
  expect_errors_only_in_place<std::uint32_t>(order, [&](auto rows) {
    vilenkin_chrestenson(group, field, rows);
    inverse_vilenkin_chrestenson(group, field, rows);
  });
  expect_errors_only_in_place<std::int64_t>(6 * order,
                                            [&](auto rows) { vilenkin_chrestenson_counts(group, rows); });
  expect_errors_only_in_place<Complex>(order, [&](auto f) { group_convolve(group, f, f); });
  expect_errors_only_in_place<std::int64_t>(order, [&](auto f) { group_autocorrelate(group, f); });
  expect_errors_only([&] { return counts_of_integers(ternary, integers); });
  expect_errors_only([&] { return counts_of_exponents(ternary, values); });
  expect_errors_only([&] { return reduced_counts(ternary, counts); });
  expect_errors_only([&] { return summarize_p_valued(ternary, values).largest_square; });
  expect_refusal([] { CharacterGroup::parse("3^x"); });
  expect_refusal([&] { ResidueField(group, 8); });
  expect_refusal([&] { tile_values(group, {0, order + 1, 0, 1}); });
  std::vector<Complex> no_rows(3);
  expect_refusal([&] { vilenkin_chrestenson(group, std::span(no_rows)); });
}

TEST(BorderOfSpectral, Boxes) {
  const SBox box = *named_box("random:6:5:1");
  const SBox permutation = *named_box("permutation:6:1");
  expect_errors_only([] { return named_box("power:8:254:0x11b"); });
  expect_errors_only([] { return named_box("AES"); });
  expect_errors_only([&] { return component(box, 3); });
  expect_errors_only([&] { return derivative(box, 3); });
  expect_errors_only([&] { return inverse(permutation); });
  expect_errors_only([&] { return basic(permutation).cycles->order; });
  expect_errors_only([&] { return basic(box).image; });
  expect_errors_only([] { return BinaryField(6, 0x43).product(9, 7); });
  const BinaryField field(6, 0x43);
  expect_errors_only([&] { return univariate(permutation, field); });
  expect_refusal([&] { inverse(box); });
  expect_refusal([&] { univariate(box, field); });
  expect_refusal([] { BinaryField(6, 0x41); });
  expect_refusal([] { named_box("random:99:4:1"); });
  expect_refusal([] { SBox(21, 30, {}); });
}

// Some of the boxes are divided among threads.
TEST(BorderOfSpectral, PropertiesOfBoxes) {
  for (const char* name : {"permutation:4:1", "random:6:5:1", "random:10:10:1"}) {
    const SBox box = *named_box(name);
    const SBoxOptions two{.threads = 2};
    std::vector<std::int32_t> row(std::max<std::size_t>(box.size(), box.last_mask() + 1u));
    const std::span columns = std::span(row).first(box.last_mask() + 1u);
    expect_errors_only([&] { return differential(box, two); });
    expect_errors_only([&] { return linear(box, two); });
    expect_errors_only([&] { return autocorrelation(box, two); });
    expect_errors_only([&] { return component_degrees(box, two); });
    expect_errors_only([&] { return degree(box); });
    expect_errors_only([&] { return linear_structures(box, two).positive; });
    expect_errors_only([&] { return ddt_entries(box, 3).size(); });
    expect_errors_only([&] { return lat_row(box, 3, columns), row[1]; });
    expect_errors_only([&] { return autocorrelation_row(box, 3, columns), row[1]; });
    expect_errors_only([&] { return bct_row(box, 3, columns), row[1]; });
    expect_errors_only([&] { return fbct_row(box, 3, std::span(row).first(box.size())), row[1]; });
    if (box.inputs() > 6) continue;  // it takes long
    expect_errors_only([&] { return avalanche(box, two).pair_nonlinearities; });
    expect_errors_only([&] { return boomerang(box, two).bct; });
    expect_errors_only([&] { return transparency_order(box, two); });
    expect_errors_only([&] { return exhaustive_components(box, two).nonlinearities; });
    expect_errors_only([&] { return equations(box, 2, two); });
    expect_errors_only([&] { return component_immunities(box, two); });
  }
}

TEST(BorderOfSpectral, ImmunitiesAndAnomalies) {
  const TruthTable function = function_of(6);
  expect_errors_only([&] { return annihilators(function).dimension; });
  expect_errors_only([&] { return algebraic_immunity(function); });
  expect_errors_only([] { return differential_anomaly(8, 8, 7); });
  expect_errors_only([] { return linear_anomaly(8, 56, 40); });
  expect_errors_only([] { return boomerang_anomaly(8, 10, 3); });
  const SBox wide = *named_box("random:4:24:1");
  expect_refusal([&] { linear(wide); });
  expect_refusal([&] { equations(wide, 2); });
  expect_refusal([&] { transparency_order(wide); });
}

TEST(BorderOfSpectral, Invariants) {
  const SBox box = *named_box("power:5:3:0x25");  // quadratic and almost perfect nonlinear
  const SBox other = *named_box("permutation:5:1");
  const SBox small = *named_box("permutation:3:1");
  expect_errors_only([&] { return ddt_rows_digest(box); });
  expect_errors_only([&] { return lat_columns_digest(box); });
  expect_errors_only([&] { return nonaffine_degrees(box); });
  expect_errors_only([&] { return sums_digest(box); });
  expect_errors_only([&] { return extended_walsh_spectrum(box); });
  expect_errors_only([&] { return gamma_rank(small); });
  expect_errors_only([&] { return delta_rank(small); });
  expect_errors_only([&] { return ortho_derivative(box); });
  expect_errors_only([&] { return invariants(small).size(); });
  expect_errors_only([&] { return compare(box, other).equal; });
}

}  // namespace
}  // namespace fugu::spectral
