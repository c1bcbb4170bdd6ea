// Compares S-boxes with the definitions, written out. tests/cli/sbox_*_test.py has values that papers print.
#include "fugu/spectral/sbox/sbox.hpp"

#include "fugu/spectral/groups/vilenkin_chrestenson.hpp"
#include "fugu/spectral/properties.hpp"
#include "fugu/spectral/sbox/algebra.hpp"
#include "fugu/spectral/sbox/autocorrelation.hpp"
#include "fugu/spectral/sbox/basic.hpp"
#include "fugu/spectral/sbox/boomerang.hpp"
#include "fugu/spectral/sbox/differential.hpp"
#include "fugu/spectral/sbox/invariants.hpp"
#include "fugu/spectral/sbox/linear.hpp"
#include "fugu/spectral/sbox/sidechannel.hpp"
#include "fugu/spectral/sbox/structure.hpp"
#include "spectral/support.hpp"

namespace fugu::spectral {
namespace {

using fugu::test::stopped;

std::int64_t walsh_at(const SBox& box, std::uint32_t a, std::uint32_t b) {
  std::int64_t sum = 0;
  for (std::uint32_t x = 0; x < box.size(); ++x) sum += (parity(b & box[x]) ^ parity(a & x)) != 0 ? -1 : 1;
  return sum;
}

std::int64_t autocorrelation_at(const SBox& box, std::uint32_t a, std::uint32_t b) {
  std::int64_t sum = 0;
  for (std::uint32_t x = 0; x < box.size(); ++x) sum += parity(b & (box[x] ^ box[x ^ a])) != 0 ? -1 : 1;
  return sum;
}

std::int64_t ddt_at(const SBox& box, std::uint32_t a, std::uint32_t b) {
  std::int64_t count = 0;
  for (std::uint32_t x = 0; x < box.size(); ++x) count += (box[x] ^ box[x ^ a]) == b ? 1 : 0;
  return count;
}

std::int64_t bct_at(const SBox& box, std::uint32_t a, std::uint32_t b) {
  std::int64_t count = 0;
  for (std::uint32_t x = 0; x < box.size(); ++x) {
    for (std::uint32_t y = 0; y < box.size(); ++y)
      count += (box[x] ^ box[y]) == b && (box[x ^ a] ^ box[y ^ a]) == b ? 1 : 0;
  }
  return count;
}

std::int64_t fbct_at(const SBox& box, std::uint32_t a, std::uint32_t b) {
  std::int64_t count = 0;
  for (std::uint32_t x = 0; x < box.size(); ++x)
    count += (box[x] ^ box[x ^ a] ^ box[x ^ b] ^ box[x ^ a ^ b]) == 0 ? 1 : 0;
  return count;
}

std::vector<SBox> boxes() {
  std::vector<SBox> all;
  std::mt19937 random(1);
  for (const auto& [n, m] : {std::pair{1, 1}, {1, 6}, {2, 2}, {3, 5}, {4, 4}, {5, 1}, {5, 3}, {6, 2}, {4, 7}})
    all.push_back(random_box(n, m, random));
  all.push_back(random_permutation(5, random));
  all.push_back(SBox(4, 3, std::vector<std::uint32_t>(16, 5)));
  return all;
}

class EveryBox : public testing::TestWithParam<SBox> {
 protected:
  const SBox& box() const { return GetParam(); }
  std::size_t rows() const { return box().size(); }
  std::size_t columns() const { return std::size_t{box().last_mask()} + 1; }
  // Counts entry(box, a, b) over all a, and b < columns, if counts(a, b).
  template <class Entry, class Counts>
  Histogram counted(std::size_t columns, Entry entry, Counts counts) const {
    Histogram histogram;
    for (std::uint32_t a = 0; a < rows(); ++a) {
      for (std::uint32_t b = 0; b < columns; ++b) {
        if (counts(a, b)) ++histogram[entry(box(), a, b)];
      }
    }
    return histogram;
  }
};

TEST(SBox, SizesFollowFromTheNumberOfEntriesAndFromMostOfThem) {
  EXPECT_EQ(inputs_of(2), 1);
  EXPECT_EQ(inputs_of(1 << 20), 20);
  EXPECT_EQ(usage_error([] { inputs_of(1); }), "1 values are not a power of two, 2 to 2^20");
  EXPECT_EQ(usage_error([] { inputs_of(std::uint64_t{1} << 40); }), "40 inputs: 1 to 20 are possible");

  const auto outputs = [](std::vector<std::uint32_t> values) { return usual_outputs(3, values); };
  EXPECT_EQ(outputs({0, 1, 2, 3, 4, 5, 6, 7}), 3);
  EXPECT_EQ(outputs({4, 0, 0, 0, 0, 0, 0, 0}), 3);
  EXPECT_EQ(outputs({0, 1, 2, 3, 4, 5, 8, 9}), 4) << "a quarter";
  const auto unclear = [&](const auto&... values) {
    return usage_error([&] { (void)outputs({values...}); });
  };
  EXPECT_EQ(unclear(0u, 1u, 2u, 3u, 4u, 5u, 8u, 7u),
            "entry 6 is 8, and 7 of 8 entries fit 3 bits; give the number of outputs: 3 or 4");
  EXPECT_EQ(unclear(0u, 1u, 2u, 3u, 3u, 2u, 1u, 0u),
            "no value has more than 2 bits; give the number of outputs: 2 or 3");
}

TEST_P(EveryBox, SpectraEqualTheDefinitions) {
  EXPECT_EQ(differential(box()).ddt, counted(columns(), ddt_at, [](auto a, auto) { return a != 0; }));
  EXPECT_EQ(linear(box()).walsh, counted(columns(), walsh_at, [](auto, auto b) { return b != 0; }));
  const Boomerang found = boomerang(box());
  EXPECT_EQ(found.bct, counted(columns(), bct_at, [](auto a, auto b) { return a != 0 && b != 0; }));
  EXPECT_EQ(found.fbct, counted(rows(), fbct_at, [](auto a, auto b) { return a != 0 && b != 0 && a != b; }));
}

TEST_P(EveryBox, RowsEqualTheDefinitions) {
  for (std::uint32_t a = 0; a < rows(); ++a) {
    std::vector<std::int32_t> row(columns());
    const auto expect = [&](auto entry) {
      for (std::uint32_t b = 0; b < row.size(); ++b) ASSERT_EQ(row[b], entry(box(), a, b)) << a << ' ' << b;
    };
    ddt_row(box(), a, row);
    expect(ddt_at);
    lat_row(box(), a, row);
    expect(walsh_at);
    autocorrelation_row(box(), a, row);
    expect(autocorrelation_at);
    bct_row(box(), a, row);
    expect(bct_at);
    row.resize(rows());
    fbct_row(box(), a, row);
    expect(fbct_at);
  }
}

TEST_P(EveryBox, AutocorrelationAndLinearStructuresEqualTheDefinition) {
  const Autocorrelation found = autocorrelation(box());
  LinearStructures expected;
  for (std::uint32_t b = 1; b < columns(); ++b) {
    std::int64_t largest = 0;
    std::uint64_t sum = rows() * rows();
    for (std::uint32_t a = 1; a < rows(); ++a) {
      const std::int64_t r = autocorrelation_at(box(), a, b);
      largest = std::max(largest, std::abs(r));
      sum += static_cast<std::uint64_t>(r * r);
      expected.positive += r == static_cast<std::int64_t>(rows()) ? 1u : 0u;
      expected.negative += r == -static_cast<std::int64_t>(rows()) ? 1u : 0u;
    }
    EXPECT_EQ(found.indicators[b], largest) << b;
    EXPECT_EQ(found.sums[b], sum) << b;
  }
  const LinearStructures structures = linear_structures(box());
  EXPECT_EQ(structures.positive, expected.positive);
  EXPECT_EQ(structures.negative, expected.negative);
}

// The properties of components as single functions are computed by other code, with the same values.
TEST_P(EveryBox, ComponentsEqualTheirPropertiesAsFunctions) {
  const Linear all = linear(box());
  const std::vector<std::int8_t> degrees = component_degrees(box());
  const Autocorrelation r = autocorrelation(box());
  for (std::uint32_t b = 1; b < columns(); ++b) {
    const BooleanProperties one = properties(component(box(), b));
    EXPECT_EQ(all.components[b].largest, one.linearity);
    EXPECT_EQ(all.components[b].correlation_immunity, one.correlation_immunity);
    EXPECT_EQ(all.components[b].balanced, one.balanced);
    EXPECT_EQ(all.components[b].plateaued, one.plateaued);
    EXPECT_EQ(degrees[b], one.degree);
    EXPECT_EQ(r.structures[b], one.linear_structures - 1);
  }
}

TEST(SBox, TheSumOfEqualCoordinatesIsLinear) {
  EXPECT_THAT(avalanche(SBox(2, 2, {0, 0, 0, 3})).pair_nonlinearities, testing::ElementsAre(0));
}

TEST_P(EveryBox, ThreadsChangeNothing) {
  EXPECT_EQ(linear(box(), {1}).walsh, linear(box(), {5}).walsh);
  EXPECT_EQ(boomerang(box(), {1}).bct, boomerang(box(), {5}).bct);
}

INSTANTIATE_TEST_SUITE_P(SBox, EveryBox, testing::ValuesIn(boxes()));

// Boxes of eight inputs fit bytes; those of nine take other code.
TEST(Exhaustive, EqualsAllComponentsAndListsTheWorst) {
  for (const auto& [n, m] : {std::pair{8, 13}, {7, 9}, {8, 5}, {9, 10}, {1, 1}, {4, 4}, {4, 7}}) {
    const SBox box = random_box(n, m);
    const Linear all = linear(box);
    Histogram expected;
    std::vector<std::uint32_t> worst;
    for (std::uint32_t b = 1; b < all.components.size(); ++b) {
      if (all.components[b].largest == all.linearity) worst.push_back(b);
      ++expected[static_cast<std::int64_t>(nonlinearity_of(box, all.components[b].largest))];
    }
    const ExhaustiveProfile profile = exhaustive_components(box);
    EXPECT_EQ(profile.linearity, all.linearity) << n << ' ' << m;
    EXPECT_EQ(profile.masks, worst) << n << ' ' << m;
    EXPECT_EQ(profile.nonlinearities, expected) << n << ' ' << m;
  }
}

TEST(Exhaustive, LinearBoxes) {
  const ExhaustiveProfile profile = exhaustive_components(power_box(8, 0x11b, 1));
  EXPECT_EQ(profile.nonlinearities, (Histogram{{0, 255}}));
  EXPECT_EQ(profile.masks.size(), 255u);
}

// There are more outputs than a row of counters has.
TEST(Sparse, WideBoxesEqualTheSameValuesInFewerBits) {
  const SBox narrow = random_box(7, 9);
  std::vector<std::uint32_t> values(narrow.values().begin(), narrow.values().end());
  const SBox wide(7, 32, values);
  const auto without_zeros = [](Histogram histogram) {
    histogram.erase(0);
    return histogram;
  };
  EXPECT_EQ(without_zeros(differential(wide).ddt), without_zeros(differential(narrow).ddt));
  EXPECT_EQ(without_zeros(boomerang(wide).bct), without_zeros(boomerang(narrow).bct));
  EXPECT_EQ(boomerang(wide).fbct, boomerang(narrow).fbct);
}

TEST(Algebra, DegreesByTheDefinition) {
  // x0 x1 + x2 and 1.
  const SBox box(3, 2, {2, 2, 2, 3, 3, 3, 3, 2});
  EXPECT_EQ(degree(box), 2);
  EXPECT_THAT(component_degrees(box), testing::ElementsAre(-1, 2, 0, 2));
}

TEST(Algebra, AnnihilatorsOfSmallFunctions) {
  TruthTable product(3);  // x0 x1 x2 is annihilated by 1 + x_i
  product.set(7, true);
  EXPECT_EQ(annihilators(product).degree, 1);
  EXPECT_EQ(annihilators(product).dimension, 3u);
  std::uint64_t steps = 0;
  std::uint64_t done = 0;
  const auto begin = [&](std::uint64_t all) -> Progress {
    steps += all;
    return [&](std::uint64_t count) { done += count; };
  };
  EXPECT_EQ(annihilator_basis(product, {.begin = begin}).size(), 3u);
  EXPECT_EQ(steps, 8u);  // twice 1, x0, x1 and x2
  EXPECT_EQ(done, steps);
  EXPECT_EQ(algebraic_immunity(product), 1);
  EXPECT_EQ(algebraic_immunity(TruthTable(4)), 0);
}

TEST(Transparency, EqualsTheDefinition) {
  const SBox box = random_box(5, 4);
  double largest = -32;
  for (std::uint32_t beta = 0; beta < 16; ++beta) {
    double sum = 0;
    for (std::uint32_t a = 1; a < 32; ++a) {
      double inner = 0;
      for (std::uint32_t j = 0; j < 4; ++j)
        inner +=
            ((beta >> j & 1) != 0 ? -1.0 : 1.0) * static_cast<double>(autocorrelation_at(box, a, 1u << j));
      sum += std::abs(inner);
    }
    largest = std::max(largest, std::abs(4 - 2 * std::popcount(beta)) - sum / (32 * 32 - 32));
  }
  EXPECT_NEAR(transparency_order(box), largest, 1e-12);
}

TEST(Univariate, FindsTheExponentOfAPowerAndEvaluatesToTheBox) {
  const BinaryField field(8, 0x11b);
  EXPECT_EQ(field.product(0x57, 0x83), 0xc1u);  // FIPS 197, 4.2
  std::vector<std::uint32_t> expected(256);
  expected[254] = 1;
  EXPECT_EQ(univariate(power_box(8, 0x11b, 254), field), expected);
  const SBox box = random_box(8, 8);
  const std::vector<std::uint32_t> coefficients = univariate(box, field);
  for (std::uint32_t x = 0; x < 256; x += 17) {
    std::uint32_t sum = 0;
    for (std::size_t k = 0; k < 256; ++k) sum ^= field.product(coefficients[k], field.power(x, k));
    EXPECT_EQ(sum, box[x]);
  }
}

TEST(SBox, RefusesWhatIsNone) {
  EXPECT_EQ(usage_error([] { SBox(0, 1, {0}); }), "0 inputs: 1 to 20 are possible");
  EXPECT_EQ(usage_error([] { SBox(1, 33, {0, 0}); }), "33 outputs: 1 to 32 are possible");
  EXPECT_EQ(usage_error([] { SBox(2, 2, {0, 1, 2}); }), "3 entries are not those of 2 inputs");
  EXPECT_EQ(usage_error([] { SBox(1, 2, {3, 4}); }), "entry 1: 4 does not fit 2 outputs");
  const auto of_inverse = [](const SBox& box) { return usage_error([&] { inverse(box); }); };
  EXPECT_EQ(of_inverse({2, 2, {1, 3, 3, 3}}), "this needs a permutation; 3 pairs collide, first S(1) = S(2)");
  EXPECT_EQ(of_inverse({2, 2, {1, 0, 0, 1}}), "this needs a permutation; 2 pairs collide, first S(0) = S(3)");
  EXPECT_EQ(of_inverse({1, 2, {1, 3}}), "this needs a permutation; 1 inputs, 2 outputs");
  EXPECT_EQ(usage_error([] { BinaryField(4, 0x1b); }), "the polynomial is not irreducible");
  const SBox wide(1, 32, {0, 0});
  EXPECT_EQ(usage_error([&] { product_degrees(wide); }),
            "degrees of products of 33 input and output bits: at most 32 are possible");
}

// Work that is asked to stop ends with Error{interrupted}.

TEST(Stop, TransformsLookAtTheTokenOnOneThreadAndOnMany) {
  for (const unsigned threads : {1u, 2u}) {
    std::vector<std::int32_t> values(std::size_t{1} << 19);
    expect_interrupted([&] { walsh(std::span(values), 19, {.threads = threads, .stop = stopped()}); });
    expect_interrupted(
        [&] { inverse_walsh(std::span(values), 19, {.threads = threads, .stop = stopped()}); });
    expect_interrupted([&] { properties(TruthTable(19), {.threads = threads, .stop = stopped()}); });
    expect_interrupted(
        [&] { TruthTable::from_polynomial("x0", 19, {.threads = threads, .stop = stopped()}); });
    expect_interrupted([&] { polynomial_text(TruthTable(19), {.threads = threads, .stop = stopped()}); });
  }
}

TEST(Stop, TransformsOverGroupsLookAtTheToken) {
  std::vector<std::complex<double>> values(19683);
  expect_interrupted(
      [&] { vilenkin_chrestenson(CharacterGroup::parse("3^9"), std::span(values), {.stop = stopped()}); });
}

TEST(Stop, SBoxMeasurementsLookAtTheToken) {
  const SBox box = test::random_box(8, 8);
  const SBoxOptions options{.stop = stopped()};
  expect_interrupted([&] { linear(box, options); });
  expect_interrupted([&] { boomerang(box, options); });
  expect_interrupted([&] { exhaustive_components(box, options); });
  expect_interrupted([&] { equations(box, 2, options); });
  expect_interrupted([&] { gamma_rank(box, options); });
  expect_interrupted([&] { delta_rank(box, options); });
  expect_interrupted([&] { annihilators(component(box, 1), options); });
}

// This would take some 15 minutes.
TEST(Stop, ItIsNoticedInTheMiddle) {
  std::stop_source source;
  std::thread asking([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    source.request_stop();
  });
  expect_interrupted([&] { gamma_rank(test::random_box(8, 8), {.stop = source.get_token()}); });
  asking.join();
}

TEST(Stop, ATokenThatNothingAsksChangesNothing) {
  std::stop_source source;
  std::vector<std::int32_t> values(std::size_t{1} << 19);
  values[5] = 7;
  std::vector<std::int32_t> same = values;
  walsh(std::span(values), 19, {.threads = 1, .stop = source.get_token()});
  walsh(std::span(same), 19, {.threads = 1});
  EXPECT_EQ(values, same);
}

}  // namespace
}  // namespace fugu::spectral
