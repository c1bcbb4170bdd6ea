// Equivalence of S-boxes: found for random maps of random boxes, and decided as by trying all maps. Witnesses
// are checked here by the definition. tests/cli/sbox_equivalence_test.py has published classes.
#include "fugu/spectral/equivalence/equivalence.hpp"
#include "fugu/spectral/equivalence/canonical.hpp"
#include "fugu/spectral/named/named.hpp"
#include "spectral/graph_maps.hpp"
#include "spectral/support.hpp"

namespace fugu::spectral {
namespace {

using Random = std::mt19937;
using Values = std::vector<std::uint32_t>;  // of a function, by input

constexpr int kCases = fugu::test::kSanitized ? 4 : 25;
constexpr int kBoxes = fugu::test::kSanitized ? 6 : 1000;

std::uint32_t size_of(int bits) {
  return std::uint32_t{1} << bits;
}

std::uint32_t below(std::uint32_t size, Random& random) {
  return static_cast<std::uint32_t>(random() % size);
}

// The values of x -> M x + c for the columns of M.
Values affine_values(const Values& columns, std::uint32_t c) {
  Values values{c};
  for (const std::uint32_t column : columns) {
    const std::size_t size = values.size();
    for (std::size_t i = 0; i < size; ++i) values.push_back(values[i] ^ column);
  }
  return values;
}

bool is_one_to_one(const Values& values) {
  std::vector<bool> seen(std::size_t{std::ranges::max(values)} + 1);
  for (const std::uint32_t value : values) seen[value] = true;
  return static_cast<std::size_t>(std::ranges::count(seen, true)) == values.size();
}

Values random_affine(int inputs, int outputs, bool linear, Random& random) {
  Values columns(static_cast<std::size_t>(inputs));
  for (std::uint32_t& column : columns) column = below(size_of(outputs), random);
  return affine_values(columns, linear ? 0 : below(size_of(outputs), random));
}

Values random_permuting(int bits, bool linear, Random& random) {
  for (;;) {
    Values values = random_affine(bits, bits, linear, random);
    if (is_one_to_one(values)) return values;
  }
}

SBox image(const SBox& box, Equivalence relation, Random& random) {
  const bool linear = relation == Equivalence::linear;
  const Values a = random_permuting(box.inputs(), linear, random);
  const Values b = random_permuting(box.outputs(), linear, random);
  Values c(box.size(), 0);
  if (relation >= Equivalence::ea) c = random_affine(box.inputs(), box.outputs(), false, random);
  return box_of(box.inputs(), box.outputs(), [&](std::uint32_t x) { return b[box[a[x]]] ^ c[x]; });
}

Values values_of(const AffineMap& map) {
  return affine_values(map.columns, map.constant);
}

void expect_witness(const Witness& witness, const SBox& s, const SBox& t) {
  if (witness.relation == Equivalence::ccz) {
    const Values l = values_of(witness.l);
    ASSERT_TRUE(is_one_to_one(l));
    for (std::uint32_t x = 0; x < s.size(); ++x) {
      const std::uint32_t image = l[x << s.outputs() | s[x]];
      ASSERT_EQ(t[image >> s.outputs()], image & s.last_mask());
    }
    return;
  }
  const Values a = values_of(witness.a), b = values_of(witness.b), c = values_of(witness.c);
  ASSERT_TRUE(is_one_to_one(a) && is_one_to_one(b));
  if (witness.relation == Equivalence::linear) {
    ASSERT_EQ(a[0] | b[0], 0u);
  }
  for (std::uint32_t x = 0; x < s.size(); ++x)
    ASSERT_EQ(b[s[a[x]]] ^ (witness.relation == Equivalence::ea ? c[x] : 0), t[x]);
}

void expect_found(const SBox& s, const SBox& t, Equivalence relation) {
  const Search found = find_equivalence(s, t, relation);
  ASSERT_EQ(found.verdict, Verdict::equivalent);
  ASSERT_EQ(found.witness->relation, relation);
  ASSERT_TRUE(holds(*found.witness, s, t));
  expect_witness(*found.witness, s, t);
  if (s.inputs() <= 5) {
    ASSERT_FALSE(compare(s, t, {.relation = relation}).difference);
  }
}

constexpr Equivalence kRelations[] = {Equivalence::linear, Equivalence::affine, Equivalence::ea,
                                      Equivalence::ccz};

// Calls one(i, random) for i below `count`, until an assertion fails.
template <class One>
void for_cases(int count, unsigned seed, One one) {
  Random random(seed);
  for (int i = 0; i < count && !::testing::Test::HasFatalFailure(); ++i) {
    SCOPED_TRACE("case " + std::to_string(i));
    one(i, random);
  }
}

TEST(Equivalence, OfRandomBoxesAndTheirImagesIsFound) {
  for_cases(kBoxes, 1, [](int i, Random& random) {
    const int n = 3 + i % 6;
    for (const Equivalence relation : kRelations) {
      const SBox permutation = random_permutation(n, random);
      expect_found(permutation, image(permutation, relation, random), relation);
      const int m = 1 + static_cast<int>(random() % 8);
      const SBox function = random_box(n, m, random);
      expect_found(function, image(function, relation, random), relation);
    }
  });
}

// (x, y) -> (T_y(x), U_x(y)), x and T the t lowest bits, T_y one-to-one for every y, and its twist, which
// exchanges x and T: CCZ-equivalent, and rarely EA-equivalent (Canteaut and Perrin 2019). Without y, a
// permutation and its inverse.
std::pair<SBox, SBox> random_twists(int n, int m, int t, Random& random) {
  Values values(size_of(n));
  Values twisted(size_of(n));
  for (std::uint32_t y = 0; y < size_of(n - t); ++y) {
    const SBox permutation = random_permutation(t, random);
    for (std::uint32_t x = 0; x < size_of(t); ++x) {
      const std::uint32_t u = below(size_of(m - t), random) << t;
      values[y << t | x] = u | permutation[x];
      twisted[y << t | permutation[x]] = u | x;
    }
  }
  return {SBox(n, m, values), SBox(n, m, twisted)};
}

TEST(Equivalence, OfTwistsIsFound) {
  for_cases(kBoxes, 16, [](int i, Random& random) {
    const int n = 3 + i % 6;
    const int t = 1 + static_cast<int>(random() % static_cast<unsigned>(n));
    const int m = i % 2 == 0 ? n : t + static_cast<int>(random() % static_cast<unsigned>(9 - t));
    const auto [box, twisted] = random_twists(n, m, t, random);
    expect_found(image(box, Equivalence::ea, random), image(twisted, Equivalence::ea, random),
                 Equivalence::ccz);
  });
}

// The box whose graph is the image of that of `box` under a random affine permutation, if that is a graph.
std::optional<SBox> graph_image(const SBox& box, Random& random) {
  const int m = box.outputs();
  const Values l = random_permuting(box.inputs() + m, false, random);
  Values values(box.size());
  std::set<std::uint32_t> inputs;
  for (std::uint32_t x = 0; x < box.size(); ++x) {
    const std::uint32_t image = l[x << m | box[x]];
    values[image >> m] = image & box.last_mask();
    if (!inputs.insert(image >> m).second) return std::nullopt;
  }
  return SBox(box.inputs(), m, std::move(values));
}

// Every affine permutation, or every linear one.
std::vector<Values> all_permuting(int bits, bool linear) {
  std::vector<Values> all;
  const std::uint32_t size = size_of(bits);
  const std::uint32_t matrices = size_of(bits * bits);
  for (std::uint32_t matrix = 0; matrix < matrices; ++matrix) {
    Values columns;
    for (int j = 0; j < bits; ++j) columns.push_back(matrix >> (bits * j) & (size - 1));
    if (!is_one_to_one(affine_values(columns, 0))) continue;
    for (std::uint32_t c = 0; c < (linear ? 1 : size); ++c) all.push_back(affine_values(columns, c));
  }
  return all;
}

// T(x) = B(S(A(x))) for one of these A. Where A is affine B is too, where it is linear B maps 0 to 0.
bool has_maps(const SBox& s, const SBox& t, const std::vector<Values>& permuting, bool linear) {
  return std::ranges::any_of(permuting, [&](const Values& a) {
    test::AffinePairs map;
    test::AffinePairs inverse;
    const auto add = [&](std::uint32_t from, std::uint32_t to) {
      return map.add(from, to) && inverse.add(to, from);
    };
    bool is_map = !linear || add(0, 0);
    for (std::uint32_t x = 0; is_map && x < s.size(); ++x) is_map = add(s[a[x]], t[x]);
    return is_map;
  });
}

void expect_decided(bool expected, const SBox& s, const SBox& t, Equivalence relation) {
  const Search found = find_equivalence(s, t, relation);
  ASSERT_EQ(found.verdict, expected ? Verdict::equivalent : Verdict::inequivalent) << to_string(relation);
  if (expected) {
    expect_witness(*found.witness, s, t);
    ASSERT_FALSE(compare(s, t, {.relation = relation}).difference) << to_string(relation);
  }
}

void expect_graphs_decided(const SBox& s, const SBox& t) {
  expect_decided(test::GraphMaps(s, t, true).exist(), s, t, Equivalence::ea);
  expect_decided(test::GraphMaps(s, t, false).exist(), s, t, Equivalence::ccz);
}

// A box of degree 2 at most: such boxes are often equivalent.
SBox quadratic_box(int inputs, int outputs, Random& random) {
  Values values(size_of(inputs));
  for (std::uint32_t u = 0; u < values.size(); ++u) {
    if (std::popcount(u) != 2) continue;
    const std::uint32_t coefficient = below(size_of(outputs), random);
    for (std::uint32_t x = 0; x < values.size(); ++x)
      if ((x & u) == u) values[x] ^= coefficient;
  }
  return {inputs, outputs, std::move(values)};
}

SBox some_box(int kind, int inputs, int outputs, Random& random) {
  if (kind == 0) return quadratic_box(inputs, outputs, random);
  return kind == 1 || inputs != outputs ? random_box(inputs, outputs, random)
                                        : random_permutation(inputs, random);
}

// Few values make equivalent pairs frequent.
TEST(Equivalence, OfThreeInputsIsDecidedAsByAllMaps) {
  const std::vector<Values> affine = all_permuting(3, false);
  const std::vector<Values> linear = all_permuting(3, true);
  ASSERT_EQ(affine.size(), 1344u);
  for_cases(2 * kCases, 4, [&](int i, Random& random) {
    const int m = 1 + i % 3;
    const SBox s = some_box(1 + i % 2, 3, m, random);
    const SBox t = some_box(1 + i % 2, 3, m, random);
    expect_decided(has_maps(s, t, linear, true), s, t, Equivalence::linear);
    expect_decided(has_maps(s, t, affine, false), s, t, Equivalence::affine);
    expect_graphs_decided(s, t);
  });
}

// B is unique for a permutation.
TEST(Equivalence, OfPermutationsWithThemselvesIsCountedAsByAllMaps) {
  const std::vector<Values> affine = all_permuting(3, false);
  for_cases(kCases, 10, [&](int, Random& random) {
    const SBox box = random_permutation(3, random);
    const auto count =
        std::ranges::count_if(affine, [&](const Values& a) { return has_maps(box, box, {a}, false); });
    ASSERT_EQ(self_equivalences(box, Equivalence::affine), std::to_string(count));
  });
}

TEST(Equivalence, OfFourInputsIsDecidedAsByAllMaps) {
  const std::vector<Values> affine = all_permuting(4, false);
  ASSERT_EQ(affine.size(), 322560u);
  for_cases(kCases / (fugu::test::kSanitized ? 4 : 2), 5, [&](int i, Random& random) {
    const SBox s = random_box(4, 1 + i % 2, random);
    const SBox t = random_box(4, 1 + i % 2, random);
    expect_decided(has_maps(s, t, affine, false), s, t, Equivalence::affine);
  });
}

TEST(Equivalence, OfFourInputsIsDecidedAsByAllImagesOfTheirGraphs) {
  for_cases(2 * kCases, 14, [](int i, Random& random) {
    const int m = 2 + i % 3;
    const SBox s = some_box(i / 3 % 3, 4, m, random);
    const SBox changed = image(s, Equivalence::ea, random);
    expect_graphs_decided(s, some_box(i / 3 % 3, 4, m, random));
    expect_graphs_decided(s, graph_image(changed, random).value_or(changed));
  });
}

// The least B(S(A(x))) of these A: for each, B maps the first new value to the first free unit vector.
Values least_values(const SBox& s, const std::vector<Values>& permuting, bool linear) {
  Values least;
  for (const Values& a : permuting) {
    const std::uint32_t origin = linear ? 0 : s[a[0]];
    std::map<std::uint32_t, std::uint32_t> b{{0, 0}};
    Values values;
    for (std::uint32_t x = 0; x < s.size(); ++x) {
      const std::uint32_t value = s[a[x]] ^ origin;
      if (!b.contains(value)) {
        const auto size = static_cast<std::uint32_t>(b.size());
        for (const auto& [from, to] : std::map(b)) b[from ^ value] = to ^ size;
      }
      values.push_back(b[value]);
    }
    if (least.empty() || values < least) least = values;
  }
  return least;
}

void expect_least(const Values& expected, const SBox& s, Equivalence relation) {
  const Image found = *canonical(s, relation);
  ASSERT_TRUE(std::ranges::equal(found.box.values(), expected)) << to_string(relation);
  expect_witness(found.witness, s, found.box);
}

TEST(Canonical, IsTheLeastOfAllMaps) {
  for (const bool linear : {false, true}) {
    const Equivalence relation = linear ? Equivalence::linear : Equivalence::affine;
    for (int n = 1; n <= 3; ++n) {
      const std::vector<Values> permuting = all_permuting(n, linear);
      for_cases(2 * kCases, 6, [&](int i, Random& random) {
        const SBox s = some_box(i % 3, n, i % 2 == 0 ? n : 1 + i % 4, random);
        expect_least(least_values(s, permuting, linear), s, relation);
      });
    }
  }
}

TEST(Canonical, IsTheSameForTwists) {
  for_cases(fugu::test::kSanitized ? 4 : 500, 7, [&](int i, Random& random) {
    const int n = 4 + i % 5;
    const SBox box = i % 7 == 0 ? random_box(n, n, random) : random_permutation(n, random);
    const Equivalence relation = i % 2 == 0 || n > 6 ? Equivalence::linear : Equivalence::affine;
    const SBox twist = image(box, relation, random);
    const Image least = *canonical(box, relation);
    expect_witness(least.witness, box, least.box);
    ASSERT_EQ(canonical(twist, relation)->box, least.box);
  });
}

TEST(Canonical, HasOneFormForTheInversionsOfCiphers) {
  const SBox aes = *named_box("AES");
  for (const char* name : {"Camellia", "SM4", "power:8:254:0x11b"})
    ASSERT_EQ(canonical(*named_box(name), Equivalence::affine)->box,
              canonical(aes, Equivalence::affine)->box);
  ASSERT_NE(canonical(*named_box("Kuznyechik"), Equivalence::affine)->box,
            canonical(aes, Equivalence::affine)->box);
}

TEST(Canonical, IsRefusedForOtherRelationsAndLargeBoxes) {
  EXPECT_EQ(usage_error([] { canonical(random_box(3, 3), Equivalence::ea); }),
            "least representatives exist for linear and affine equivalence only");
  EXPECT_EQ(usage_error([] { canonical(random_box(9, 3), Equivalence::linear); }),
            "least representatives: at most 8 inputs and outputs each are possible");
  ASSERT_FALSE(canonical(random_box(8, 1), Equivalence::affine, {.deadline = Deadline::min()}));
}

// Swaps lead from the identity to all classes. The sizes of the classes, all pairs of maps by those of the
// box to itself, add up to 8! and 16!.
TEST(Classes, OfAllPermutationsOfThreeAndFourBitsAreListed) {
  const auto expect = [](int bits, int classes, std::uint64_t maps, std::uint64_t all) {
    std::vector<SBox> representatives{box_of(bits, bits, [](std::uint32_t x) { return x; })};
    std::set<int> numbers{1};
    const auto found_all = [&] { return static_cast<int>(numbers.size()) == classes; };
    std::uint64_t permutations = 0;
    for (std::size_t i = 0; i < representatives.size(); ++i) {
      const SBox box = representatives[i];
      permutations += maps * maps / std::stoull(*self_equivalences(box, Equivalence::affine));
      for (std::uint32_t x = 0; x < box.size(); ++x) {
        for (std::uint32_t y = 0; y < x && !found_all(); ++y) {
          const SBox other = box_of(bits, bits, [&](std::uint32_t z) {
            return box[z == x ? y : z == y ? x : z];
          });
          const ListedClass found = classes_of(other)->at(0);
          ASSERT_EQ(found.classes, classes);
          if (numbers.insert(found.number).second) representatives.push_back(other);
        }
      }
    }
    ASSERT_TRUE(found_all());
    ASSERT_EQ(*numbers.rbegin(), classes);
    ASSERT_EQ(permutations, all);
  };
  expect(3, 4, 1344, 40320);
  if (!::fugu::test::kSanitized) expect(4, 302, 322560, 20922789888000u);
}

// A class of each kind of functions, by those that differ in one value: these lead to all.
std::size_t classes_of_functions(int variables, Equivalence relation, auto form) {
  std::vector<std::uint32_t> found{0};
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::uint32_t x = 0; x < size_of(variables); ++x) {
      const std::uint32_t changed = found[i] ^ std::uint32_t{1} << x;
      const SBox box = form(variables, changed);
      if (std::ranges::none_of(found, [&](std::uint32_t known) {
            return find_equivalence(box, form(variables, known), relation).verdict == Verdict::equivalent;
          }))
        found.push_back(changed);
    }
  }
  return found.size();
}

// Berlekamp and Welch 1972 (OEIS A001289).
TEST(Classes, OfFunctionsOfUpToFiveVariablesAreAsManyAsFound) {
  const auto function = [](int n, std::uint32_t f) {
    return box_of(n, 1, [f](std::uint32_t x) { return f >> x & 1; });
  };
  std::vector<std::size_t> counts;
  for (int n = 1; n <= (fugu::test::kSanitized ? 4 : 5); ++n)
    counts.push_back(classes_of_functions(n, Equivalence::ea, function));
  constexpr std::array<std::size_t, 5> kPublished{1, 2, 3, 8, 48};
  ASSERT_TRUE(std::ranges::equal(counts, std::span(kPublished).first(counts.size())));
}

// Up to affine maps of x alone (Harrison 1964; OEIS A000214): as linear maps of (x, 1), which keep the other
// half, of one value.
TEST(Classes, OfFunctionsUpToMapsOfTheInputAreAsManyAsFound) {
  const auto with_half = [](int n, std::uint32_t f) {
    return box_of(n + 1, 2, [n, f](std::uint32_t x) { return x >> n == 0 ? 2 : f >> (x ^ size_of(n)) & 1; });
  };
  constexpr std::size_t kPublished[] = {3, 5, 10, 32};
  for (int n = 1; n <= 4; ++n)
    ASSERT_EQ(classes_of_functions(n, Equivalence::linear, with_half), kPublished[n - 1]);
}

TEST(Classes, OfOptimalPermutationsHaveTheirNumbers) {
  for (int i = 0; i < 16; ++i) {
    Random random(static_cast<unsigned>(i));
    const SBox box = image(*named_box("Optimal_S" + std::to_string(i)), Equivalence::affine, random);
    const std::vector<ListedClass> classes = *classes_of(box);
    ASSERT_EQ(classes.size(), 2u);
    ASSERT_EQ(classes[1].number, i);
  }
}

// Harrison 1964; Berlekamp and Welch 1972: classes of functions up to affine maps of x and a complement, and
// up to affine functions too. Three values can be 0 in every class.
TEST(Classes, OfFunctionsAreAsMany) {
  const auto count = [](int variables, std::uint32_t step) {
    std::set<Values> affine;
    std::set<int> extended;
    for (std::uint64_t f = 0; f < std::uint64_t{1} << (1 << variables); f += step) {
      const SBox box = box_of(variables, 1, [&](std::uint32_t x) { return f >> x & 1; });
      const Image least = *canonical(box, Equivalence::affine);
      const std::span values = least.box.values();
      if (!affine.insert({values.begin(), values.end()}).second || variables < 3) continue;
      extended.insert(classes_of(box)->at(0).number);
    }
    return std::pair(affine.size(), extended.size());
  };
  ASSERT_EQ(count(1, 1), std::pair(std::size_t{2}, std::size_t{0}));
  ASSERT_EQ(count(3, 1), std::pair(std::size_t{6}, std::size_t{3}));
  if (!fugu::test::kSanitized) {
    ASSERT_EQ(count(4, 8), std::pair(std::size_t{18}, std::size_t{8}));
  }
}

TEST(Classes, OfGoldFunctionsOfSevenVariablesAreThree) {
  std::set<int> numbers;
  Random random(9);
  for (const std::uint32_t exponent : {3u, 5u, 9u}) {
    const SBox box = power_box(7, 0x83, exponent);
    const ListedClass found = classes_of(box)->at(0);
    ASSERT_EQ(found.classes, 488);
    numbers.insert(found.number);
    ASSERT_EQ(classes_of(image(box, Equivalence::ea, random))->at(0).number, found.number);
  }
  ASSERT_EQ(numbers.size(), 3u);
  ASSERT_TRUE(classes_of(power_box(7, 0x83, 126))->empty());  // not quadratic
}

TEST(Equivalence, OfInversionWithItselfHasNTimes2ToTheNMinus1LinearMaps) {
  const auto inversion = [](int bits, std::uint32_t polynomial) {
    return power_box(bits, polynomial, size_of(bits) - 2);
  };
  EXPECT_EQ(self_equivalences(inversion(3, 0xb), Equivalence::linear), "21");
  EXPECT_EQ(self_equivalences(inversion(5, 0x25), Equivalence::linear), "155");
  EXPECT_EQ(self_equivalences(inversion(8, 0x11b), Equivalence::linear), "2040");
  EXPECT_EQ(self_equivalences(inversion(8, 0x11b), Equivalence::affine), "2040");
  expect_found(inversion(8, 0x11b), inversion(8, 0x1f5), Equivalence::linear);
  expect_found(inversion(9, 0x211), inversion(9, 0x22d), Equivalence::linear);
}

// A affine, B linear on the span of the values: 322560 = |AGL(4, 2)|, |GL(8, 2)| = 5348063769211699200. Of
// the constant 0, all pairs of them; of one that is not, B fixes it.
TEST(Equivalence, OfLinearBoxesWithThemselvesIsCounted) {
  EXPECT_EQ(self_equivalences(power_box(4, 0x13, 1), Equivalence::affine), "322560");
  EXPECT_EQ(self_equivalences(power_box(8, 0x11b, 1), Equivalence::linear), "5348063769211699200");
  EXPECT_EQ(self_equivalences(SBox(3, 2, Values(8, 0)), Equivalence::linear), "1008");  // 168 * 6
  EXPECT_EQ(self_equivalences(SBox(3, 2, Values(8, 1)), Equivalence::linear), "336");   // 168 * 2
}

TEST(Equivalence, OfPointsAndOfLinearFunctionsIsFound) {
  Random random(6);
  const auto one = [](std::uint32_t x) { return x == 77; };
  const auto swapped = [](std::uint32_t x) { return x == 3 ? 200 : x == 200 ? 3 : x; };
  for (const SBox& box :
       {box_of(8, 8, one), box_of(8, 8, swapped), SBox(8, 8, Values(256, 9)), box_of(8, 1, one)}) {
    for (const Equivalence relation : kRelations) expect_found(box, image(box, relation, random), relation);
  }
}

// The clock stands for the deadline: it comes with the third step.
TEST(Equivalence, IsUndecidedFromTheDeadlineOn) {
  Random random(7);
  const SBox box = power_box(8, 0x11b, 17);
  const SBox other = image(box, Equivalence::affine, random);
  std::uint64_t counted = 0;
  std::uint64_t looks = 0;  // before the first step
  SearchOptions options;
  options.done = [&](std::uint64_t steps) {
    counted += steps;
    looks += counted == 0 ? 1 : 0;
    if (counted == 3) options.deadline = Deadline::min();
  };
  const auto begin = [&] {
    counted = looks = 0;
    options.deadline = kNoDeadline;
  };
  for (const Equivalence relation : {Equivalence::affine, Equivalence::ea, Equivalence::ccz}) {
    begin();
    const Search found = find_equivalence(box, other, relation, options);
    EXPECT_GE(looks, 255u) << "while the points are labelled";
    EXPECT_EQ(found.verdict, Verdict::undecided) << to_string(relation);
    EXPECT_EQ(found.steps, 3u);
    EXPECT_EQ(counted, 3u);
    EXPECT_FALSE(found.witness);
  }
  begin();
  EXPECT_EQ(self_equivalences(box, Equivalence::affine, options), std::nullopt);
}

// How often a search looks at the clock before its first step, and between that one and its `last`.
struct Looks {
  std::uint64_t before = 0, between = 0;
};

Looks looks_of(const SBox& box, const SBox& other, Equivalence relation, std::uint64_t last) {
  Looks looks;
  std::uint64_t steps = 0;
  SearchOptions options;
  options.done = [&](std::uint64_t count) {
    ++(steps == 0 ? looks.before : looks.between);
    steps += count;
    if (steps >= last) options.deadline = Deadline::min();
  };
  EXPECT_EQ(find_equivalence(box, other, relation, options).verdict, Verdict::undecided);
  return looks;
}

// At each row of a DDT, of 2^16 values at most, and at each transform of a graph, of 2^20 values at most:
// some milliseconds each.
TEST(Equivalence, LooksAtTheClockBetweenPartsOfSomeMilliseconds) {
  Random random(8);
  const SBox most_of_graphs = power_box(10, 0x409, 1022);
  const Looks of_graphs =
      looks_of(most_of_graphs, image(most_of_graphs, Equivalence::ea, random), Equivalence::ccz, 4);
  EXPECT_GE(of_graphs.before, 4u) << "two rounds of two transforms";
  EXPECT_GE(of_graphs.between, 3 * 5u) << "each step and its two rounds";
  const SBox large = power_box(12, 0x1053, 4094);
  const Looks of_points = looks_of(large, image(large, Equivalence::affine, random), Equivalence::affine, 8);
  EXPECT_GE(of_points.before, 2 * 4095u) << "the rows of two tables";
}

// A millisecond passes between two looks at this clock.
std::atomic<int> clock_looks;
Deadline ticking() {
  return Deadline(std::chrono::milliseconds(++clock_looks));
}

// Gold functions x^(2^i + 1) of different i below n/2 are not CCZ-equivalent (Budaghyan, Carlet and Leander,
// On inequivalence between known power APN functions, 2008).
TEST(Equivalence, OfGoldFunctionsIsDecidedInTime) {
  Random random(12);
  const SBox first = image(power_box(9, 0x211, 3), Equivalence::ea, random);
  const Answer answer = decide(first, power_box(9, 0x211, 17), Equivalence::ccz, Equivalence::ccz).back();
  EXPECT_EQ(answer.verdict, Verdict::inequivalent);
  EXPECT_FALSE(answer.difference) << "the search decides";
}

// Exponents of APN power maps, and which pairs are 2^i k or 2^i / k modulo 2^n - 1 (Dempwolff 2018: the
// others are not CCZ-equivalent), over two representations of each field.
TEST(Equivalence, OfPowerMapsIsDecidedByTheirExponents) {
  constexpr struct {
    int bits;
    std::uint32_t first, second;  // polynomials
    std::array<std::uint32_t, 8> exponents;
  } kFields[] = {{7, 0x83, 0x89, {3, 5, 9, 11, 13, 39, 57, 126}},
                 {9, 0x211, 0x21b, {3, 5, 13, 17, 19, 241, 510, 6}},
                 {11, 0x805, 0x82b, {3, 5, 9, 13, 17, 33, 2046, 2}}};
  for (const auto& field : kFields) {
    if (fugu::test::kSanitized && field.bits > 9) continue;
    const std::uint64_t order = (std::uint64_t{1} << field.bits) - 1;
    for (const std::uint64_t k : field.exponents) {
      for (const std::uint64_t l : field.exponents) {
        bool linear = false, swapped = false;
        for (int i = 0; i < field.bits; ++i) {
          linear = linear || (k << i) % order == l;
          swapped = swapped || k * l % order == (std::uint64_t{1} << i) % order;
        }
        const SBox s = power_box(field.bits, field.first, static_cast<std::uint32_t>(k));
        const SBox t = power_box(field.bits, field.second, static_cast<std::uint32_t>(l));
        const Answer answer = decide(s, t, Equivalence::ccz, Equivalence::ccz).back();
        ASSERT_EQ(answer.verdict, linear || swapped ? Verdict::equivalent : Verdict::inequivalent)
            << k << " " << l;
        EXPECT_TRUE(answer.by.find("Dempwolff 2018") != std::string_view::npos) << answer.by;
        if (answer.witness) expect_witness(*answer.witness, s, t);
        if (!linear) continue;
        for (const Equivalence relation : kRelations)
          expect_witness(*decide(s, t, relation, relation).back().witness, s, t);
      }
    }
  }
}

// 256 spaces of a Gold function, two of the others (Canteaut and Perrin 2019); twists are no power maps.
TEST(Equivalence, OfFunctionsWithOtherWalshZeroSpacesIsExcluded) {
  Random random(11);
  const SBox gold = image(power_box(7, 0x83, 3), Equivalence::ea, random);
  const SBox kasami = image(power_box(7, 0x83, 13), Equivalence::ea, random);
  const auto standing = [] { return Deadline(); };
  const Answer answer = decide(gold, kasami, Equivalence::ccz, Equivalence::ccz, {.clock = standing}).back();
  ASSERT_EQ(answer.verdict, Verdict::inequivalent);
  EXPECT_EQ(answer.by, "Walsh-zero spaces (Canteaut, Perrin 2019)");
  EXPECT_EQ(*answer.difference->first, InvariantValue(std::uint64_t{256}));
  EXPECT_EQ(*answer.difference->second, InvariantValue(std::uint64_t{2}));
  const SBox other = image(power_box(7, 0x83, 5), Equivalence::ea, random);
  const Answer quadratic = decide(gold, other, Equivalence::ccz, Equivalence::ccz).back();
  ASSERT_EQ(quadratic.verdict, Verdict::inequivalent);
}

TEST(Invariants, SumsOfFourAreThoseOfAllPoints) {
  for_cases(kCases, 17, [](int i, Random& random) {
    const SBox box = some_box(i % 3, 3 + i % 2, 1 + i % 5, random);
    std::map<std::uint32_t, std::int64_t> sums;  // by a and b
    for (std::uint32_t tuple = 0; tuple < size_of(4 * box.inputs()); ++tuple) {
      std::uint32_t a = 0, b = 0;
      for (std::uint32_t rest = tuple, k = 0; k < 4; ++k, rest >>= box.inputs()) {
        const std::uint32_t x = rest & (size_of(box.inputs()) - 1);
        a ^= x;
        b ^= box[x];
      }
      ++sums[a << box.outputs() | b];
    }
    Histogram of_all, of_0;
    for (std::uint32_t a = 0; a < box.size(); ++a) {
      for (std::uint32_t b = 0; b < size_of(box.outputs()); ++b) {
        const std::int64_t count = sums[a << box.outputs() | b];
        ++of_all[count];
        if (a == 0) ++of_0[count];
      }
    }
    ASSERT_EQ(sums_of_four(box), of_all);
    ASSERT_EQ(sums_of_four_at_0(box), of_0);
  });
  // (2^14)^4 2^8 overflows.
  EXPECT_EQ(usage_error([] { sums_of_four(random_box(14, 8)); }),
            "sums of four overflow 64 bits: 4 times the inputs and the outputs are at most 63");
}

TEST(Equivalence, TheTimeIsSharedByTheRelations) {
  Random random(9);
  const SBox box = power_box(8, 0x11b, 17);
  const SBox other = image(box, Equivalence::ea, random);
  clock_looks = 0;
  std::map<Equivalence, int> looks;
  const std::vector<Answer> answers =
      decide(box, other, Equivalence::linear, Equivalence::ccz,
             {.invariants = {.work = {.threads = 1}},
              .seconds = 7,
              .done = [&](Equivalence relation, std::uint64_t) { ++looks[relation]; },
              .clock = ticking});
  EXPECT_NEAR(clock_looks, 7000, 4);
  ASSERT_EQ(answers.size(), 4u);
  EXPECT_EQ(answers[2].verdict, Verdict::undecided);
  EXPECT_EQ(answers[3].verdict, Verdict::undecided);
  ASSERT_EQ(looks.size(), 2u) << "an invariant excludes linear and affine maps";
  EXPECT_NEAR(looks[Equivalence::ea], looks[Equivalence::ccz], 4);
}

TEST(Equivalence, TheInvariantsEndAtTheDeadlineToo) {
  Random random(10);
  const SBox box = power_box(12, 0x1053, 4094);
  const SBox other = image(box, Equivalence::affine, random);
  clock_looks = 0;
  const Answer answer = decide(box, other, Equivalence::affine, Equivalence::affine,
                               {.invariants = {.work = {.threads = 1}}, .seconds = 0.02, .clock = ticking})
                            .back();
  EXPECT_EQ(answer.verdict, Verdict::undecided);
  EXPECT_EQ(answer.steps, 0u);
  EXPECT_NEAR(clock_looks, 20, 4);
}

TEST(Equivalence, DeadlinesAreSecondsFromNow) {
  const Deadline now = std::chrono::steady_clock::now();
  EXPECT_EQ(deadline_after(0), kNoDeadline);
  EXPECT_EQ(deadline_after(std::numeric_limits<double>::infinity()), kNoDeadline);
  EXPECT_GE(deadline_after(0.5) - now, std::chrono::milliseconds(500));
  for (const double seconds : {-1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_EQ(test::usage_error([&] { deadline_after(seconds); }),
              "the time limit must be 0 seconds, for none, or more");
}

TEST(Equivalence, NoMapsThatAreNotOneToOneShowIt) {
  const SBox box(2, 2, Values(4, 0));
  const AffineMap one{2, {1, 2}, 0};
  const AffineMap zero{2, {0, 0}, 0};
  for (const Equivalence relation : {Equivalence::linear, Equivalence::affine, Equivalence::ea}) {
    EXPECT_TRUE(holds({.relation = relation, .a = one, .b = one, .c = zero}, box, box));
    EXPECT_FALSE(holds({.relation = relation, .a = zero, .b = one, .c = zero}, box, box));
    EXPECT_FALSE(holds({.relation = relation, .a = one, .b = zero, .c = zero}, box, box));
  }
  const AffineMap shift{2, {1, 2}, 1};
  EXPECT_FALSE(holds({.relation = Equivalence::linear, .a = shift, .b = one}, box, box));
  EXPECT_TRUE(holds({.relation = Equivalence::affine, .a = shift, .b = one}, box, box));
  EXPECT_TRUE(holds({.relation = Equivalence::ccz, .l = {4, {1, 2, 4, 8}, 0}}, box, box));
  EXPECT_FALSE(holds({.relation = Equivalence::ccz, .l = {4, {0, 0, 4, 8}, 0}}, box, box));
}

TEST(Equivalence, IsRefusedForSizesWithoutASearch) {
  const SBox wide(4, 17, Values(16, 0));
  const SBox large(11, 10, Values(2048, 0));
  EXPECT_EQ(usage_error([&] { find_equivalence(wide, wide, Equivalence::linear); }),
            "a search for linear-equivalence: at most 16 inputs and outputs each are possible");
  EXPECT_EQ(usage_error([&] { find_equivalence(large, large, Equivalence::ccz); }),
            "a search for CCZ-equivalence: at most 20 inputs and outputs together are possible");
  EXPECT_EQ(usage_error([&] { self_equivalences(SBox(2, 2, Values(4)), Equivalence::ea); }),
            "only linear and affine self-equivalences are counted");
  EXPECT_EQ(decide(wide, SBox(4, 17, Values(16, 1)), Equivalence::affine, Equivalence::affine).back().verdict,
            Verdict::undecided);
}

TEST(Equivalence, SearchesLookAtTheStopToken) {
  Random random(8);
  const SBox box = random_permutation(6, random);
  for (const Equivalence relation : kRelations)
    expect_interrupted([&] { find_equivalence(box, box, relation, {.stop = fugu::test::stopped()}); });
}

// AES and the inverse differ in no invariant of CCZ-equivalence; a box and a sum with a linear map only in
// those of affine equivalence.
TEST(Equivalence, AnswersEndAtTheStrongestRelationThatHolds) {
  Random random(9);
  const SBox box = random_permutation(6, random);
  const SBox extended = image(box, Equivalence::ea, random);
  const std::vector<Answer> answers = decide(box, extended, Equivalence::linear, Equivalence::ccz);
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[0].verdict, Verdict::inequivalent);
  ASSERT_TRUE(answers[0].difference);  // the invariant of affine equivalence excludes linear equivalence too
  EXPECT_EQ(answers[1].verdict, Verdict::inequivalent);
  ASSERT_TRUE(answers[1].difference);
  EXPECT_EQ(answers[1].difference->equivalence, Equivalence::affine);
  EXPECT_EQ(answers[2].verdict, Verdict::equivalent);
  expect_witness(*answers[2].witness, box, extended);
  const std::vector<Answer> others =
      decide(box, random_permutation(6, random), Equivalence::linear, Equivalence::ccz);
  ASSERT_EQ(others.size(), 4u);
  EXPECT_EQ(others[3].verdict, Verdict::inequivalent);
}

TEST(Equivalence, InvariantsCountAllTheirSteps) {
  Random random(15);
  const SBox box = random_permutation(6, random);
  const SBox other = image(box, Equivalence::affine, random);
  for (const bool of_two : {false, true}) {
    std::uint64_t all = 0;
    std::atomic<std::uint64_t> done = 0;
    const auto begin = [&](std::uint64_t steps) -> Progress {
      EXPECT_EQ(std::exchange(all, steps), 0u);
      return [&](std::uint64_t count) { done += count; };
    };
    const InvariantOptions options{.work = {.begin = begin}, .relation = Equivalence::affine};
    if (of_two) {
      EXPECT_FALSE(compare(box, other, options).difference);
    } else {
      invariants(box, options);
    }
    EXPECT_GT(all, 0u);
    EXPECT_EQ(done, all);
  }
}

}  // namespace
}  // namespace fugu::spectral
