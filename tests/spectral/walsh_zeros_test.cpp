// Walsh-zero spaces, compared with all subspaces of small spaces, and what is made of them, checked by the
// definitions.
#include "fugu/spectral/equivalence/walsh_zeros.hpp"
#include "fugu/spectral/sbox/differential.hpp"
#include "spectral/support.hpp"

namespace fugu::spectral {
namespace {

using Set = std::set<std::uint32_t>;

Set span_of(const std::vector<std::uint32_t>& basis) {
  Set span{0};
  for (const std::uint32_t v : basis) {
    const Set before = span;
    for (const std::uint32_t u : before) span.insert(u ^ v);
  }
  return span;
}

bool is_zero(const SBox& box, std::uint32_t v) {
  int sum = 0;
  for (std::uint32_t x = 0; x < box.size(); ++x)
    sum += std::popcount((x << box.outputs() | box[x]) & v) % 2 == 0 ? 1 : -1;
  return v == 0 || sum == 0;
}

// Every subspace of that dimension whose vectors are all among the zeros.
std::set<Set> all_spaces(const Set& zeros, int dimension) {
  std::set<Set> spaces{{0}};
  for (int i = 0; i < dimension; ++i) {
    std::set<Set> larger;
    for (const Set& space : spaces) {
      for (const std::uint32_t v : zeros) {
        if (space.contains(v)) continue;
        Set sum = space;
        for (const std::uint32_t u : space) sum.insert(u ^ v);
        if (std::ranges::includes(zeros, sum)) larger.insert(sum);
      }
    }
    spaces = larger;
  }
  return spaces;
}

Set zeros_of(const SBox& box) {
  Set zeros;
  for (std::uint32_t v = 0; v < std::uint32_t{1} << (box.inputs() + box.outputs()); ++v)
    if (is_zero(box, v)) zeros.insert(v);
  return zeros;
}

void expect_all_spaces(const SBox& box) {
  const WalshZeroSpaces found = walsh_zero_spaces(box);
  ASSERT_TRUE(found.complete);
  std::set<Set> spaces;
  for (const WalshZeroSpace& space : found.spaces) {
    spaces.insert(span_of(space.basis));
    Set projection;
    for (const std::uint32_t v : span_of(space.basis)) projection.insert(v & box.last_mask());
    ASSERT_EQ(projection.size(), std::size_t{1} << space.thickness);
  }
  ASSERT_EQ(spaces.size(), found.spaces.size());
  ASSERT_EQ(spaces, all_spaces(zeros_of(box), box.inputs()));
}

TEST(WalshZeros, AreTheSubspacesOfTheZeros) {
  std::mt19937 random(1);
  for (int i = 0; i < 6 && !::testing::Test::HasFatalFailure(); ++i) {
    expect_all_spaces(random_box(2 + i % 2, 1 + i % 3, random));
    expect_all_spaces(random_permutation(3, random));
  }
  expect_all_spaces(random_box(4, 2, random));
}

// x^3 over GF(2^n).
SBox cube(int bits, std::uint32_t polynomial) {
  return test::power_box(bits, polynomial, 3);
}

void expect_images(const SBox& box) {
  const WalshZeroSpaces found = walsh_zero_spaces(box);
  for (const WalshZeroSpace& space : found.spaces) {
    const Image image = function_of(box, space);
    ASSERT_TRUE(holds(image.witness, box, image.box));
    ASSERT_EQ(differential(image.box).ddt, differential(box).ddt);
  }
}

TEST(WalshZeros, EachMakesACczEquivalentFunction) {
  std::mt19937 random(2);
  expect_images(cube(5, 0x25));
  expect_images(random_permutation(5, random));
  expect_images(random_box(4, 6, random));
}

bool is_permutation_box(const SBox& box) {
  return Set(box.values().begin(), box.values().end()).size() == box.size();
}

TEST(WalshZeros, MakeAPermutationIfOneIsInTheClass) {
  std::mt19937 random(3);
  const SBox box = random_permutation(5, random);
  const SBox extended =
      test::box_of(5, 5, [&](std::uint32_t x) { return box[x] ^ (x >> 2 & 3) * 5 ^ (x & 1); });
  ASSERT_FALSE(is_permutation_box(extended));
  const std::optional<Image> found = permutation_of(extended, walsh_zero_spaces(extended).spaces);
  ASSERT_TRUE(found);
  EXPECT_TRUE(is_permutation_box(found->box));
  EXPECT_TRUE(holds(found->witness, extended, found->box));
  const SBox none = cube(6, 0x43);  // only one class of 6 variables has one
  std::uint64_t pairs = 0;
  std::uint64_t compared = 0;
  const auto begin = [&](std::uint64_t steps) -> Progress {
    pairs = steps;
    return [&](std::uint64_t count) { compared += count; };
  };
  EXPECT_FALSE(permutation_of(none, walsh_zero_spaces(none).spaces, {.begin = begin}));
  EXPECT_EQ(pairs, 190u * 189 / 2);  // of its spaces
  EXPECT_EQ(compared, pairs);
  const SBox wide = random_box(3, 4, random);
  EXPECT_FALSE(permutation_of(wide, walsh_zero_spaces(wide).spaces));
}

// The CCZ class of a permutation holds its inverse: for random ones of 5 bits, the only other EA class.
TEST(WalshZeros, MakeOneFunctionPerEaClass) {
  std::mt19937 random(4);
  const SBox box = random_permutation(5, random);
  const std::vector<WalshZeroSpace> spaces = walsh_zero_spaces(box).spaces;
  std::uint64_t made = 0;
  const auto classes = ea_classes(box, spaces, {}, [&](std::uint64_t count) { made += count; });
  ASSERT_TRUE(classes);
  EXPECT_EQ(made, spaces.size());
  for (const SBox& member : {box, inverse(box)}) {
    EXPECT_EQ(std::ranges::count_if(*classes,
                                    [&](const Image& image) {
                                      return find_equivalence(image.box, member, Equivalence::ea).verdict ==
                                             Verdict::equivalent;
                                    }),
              1);
  }
}

void expect_tu(const SBox& box, int t) {
  const auto tu = tu_decomposition(box, walsh_zero_spaces(box).spaces, t);
  ASSERT_TRUE(tu);
  ASSERT_TRUE(holds(tu->witness, box, tu->box));
  const std::uint32_t xs = std::uint32_t{1} << t;
  for (std::uint32_t y = 0; y < box.size() / xs; ++y) {
    Set values;
    for (std::uint32_t x = 0; x < xs; ++x) values.insert(tu->box[y * xs + x] % xs);
    ASSERT_EQ(values.size(), xs);
  }
}

// 256 spaces of each Gold function of 7 variables (Canteaut, Perrin 2019), with an affine function added.
// Every vector of the spaces is looked at.
TEST(WalshZeros, OfQuadraticFunctionsAreFoundByTheirOrthoDerivatives) {
  for (const std::uint32_t exponent : {3u, 5u, 9u}) {
    const SBox power = power_box(7, 0x83, exponent);
    const SBox box = box_of(7, 7, [&](std::uint32_t x) { return power[x ^ 5] ^ (x << 2) ^ 9; });
    const WalshZeroSpaces found = walsh_zero_spaces(box);
    ASSERT_TRUE(found.complete);
    std::set<Set> spaces;
    for (const WalshZeroSpace& space : found.spaces) {
      const Set span = span_of(space.basis);
      ASSERT_EQ(span.size(), 128u);
      ASSERT_TRUE(std::ranges::all_of(span, [&](std::uint32_t v) { return is_zero(box, v); }));
      spaces.insert(span);
    }
    ASSERT_EQ(spaces.size(), 256u);
  }
}

TEST(WalshZeros, MakeTuDecompositions) {
  for (const auto& [value, count] : thickness_spectrum(walsh_zero_spaces(cube(6, 0x43)).spaces))
    if (value > 0) expect_tu(cube(6, 0x43), static_cast<int>(value));
  std::mt19937 random(5);
  const SBox box = random_permutation(4, random);
  expect_tu(box, 4);
  const auto whole = tu_decomposition(box, walsh_zero_spaces(box).spaces, 4);
  EXPECT_EQ(whole->witness.c.columns, std::vector<std::uint32_t>(4, 0));  // nothing needs to be added
  EXPECT_FALSE(tu_decomposition(cube(6, 0x43), walsh_zero_spaces(cube(6, 0x43)).spaces, 5));
}

TEST(WalshZeros, TheSearchIsLimited) {
  const SBox zero(4, 4, std::vector<std::uint32_t>(16, 0));
  SearchOptions ten;
  ten.done = [&, left = 10u](std::uint64_t steps) mutable {
    left -= static_cast<unsigned>(std::min<std::uint64_t>(left, steps));
    if (left == 0) ten.deadline = Deadline::min();
  };
  const WalshZeroSpaces some = walsh_zero_spaces(zero, ten);
  EXPECT_FALSE(some.complete);
  EXPECT_GE(some.steps, 10u);
  EXPECT_LT(some.steps, 1000u);
  EXPECT_EQ(walsh_zero_spaces(SBox(3, 3, std::vector<std::uint32_t>(8, 0))).spaces.size(),
            512u);                                 // {(a, M a)} for every M
  EXPECT_FALSE(walsh_zero_spaces(zero).complete);  // of 65536
  EXPECT_EQ(test::usage_error([] { walsh_zero_spaces(SBox(11, 10, std::vector<std::uint32_t>(2048))); }),
            "Walsh-zero spaces: at most 20 inputs and outputs together are possible");
}

}  // namespace
}  // namespace fugu::spectral
