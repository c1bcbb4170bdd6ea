// Theorems about every box, tested with ten thousand random ones of every small shape.
#include "fugu/spectral/sbox/algebra.hpp"
#include "fugu/spectral/sbox/autocorrelation.hpp"
#include "fugu/spectral/sbox/boomerang.hpp"
#include "fugu/spectral/sbox/differential.hpp"
#include "fugu/spectral/sbox/linear.hpp"
#include "fugu/spectral/walsh.hpp"
#include "spectral/made_boxes.hpp"
#include "support/many_cases.hpp"
#include "support/testing.hpp"

namespace fugu::spectral {
namespace {

constexpr int kBoxes = ::fugu::test::cases(10'000);
const SBoxOptions kAlone{.threads = 1};

using Row = std::vector<std::int32_t>;
using Random = std::mt19937;

// An invertible affine map. Its matrix is in echelon form, shuffled by adding rows to others.
struct AffineMap {
  std::vector<std::uint32_t> columns;
  std::uint32_t constant;

  AffineMap(int bits, Random& random)
      : columns(static_cast<std::size_t>(bits)),
        constant(static_cast<std::uint32_t>(random() >> (32 - bits))) {
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = std::uint32_t{1} << i;
    for (std::size_t step = 0; step < 4 * columns.size(); ++step) {
      const std::size_t i = random() % columns.size(), j = random() % columns.size();
      if (i != j) columns[i] ^= columns[j];
    }
  }
  std::uint32_t operator()(std::uint32_t x) const {
    std::uint32_t y = constant;
    for (std::size_t i = 0; i < columns.size(); ++i) y ^= (x >> i & 1) != 0 ? columns[i] : 0;
    return y;
  }
};

template <class Value>
SBox changed(const SBox& box, Value value) {
  return test::box_of(box.inputs(), box.outputs(), value);
}

template <class Fill>
std::vector<Row> table(const SBox& box, Fill fill) {
  std::vector<Row> rows(box.size(), Row(std::size_t{box.last_mask()} + 1));
  for (std::uint32_t a = 0; a < rows.size(); ++a) fill(box, a, rows[a]);
  return rows;
}

Histogram magnitudes(const Histogram& walsh) {
  Histogram result;
  for (const auto& [value, count] : walsh) result[std::abs(value)] += count;
  return result;
}

// Returns the numbers of components of each degree from `least` on.
Histogram degrees(const SBox& box, int least) {
  const std::vector<std::int8_t> all = component_degrees(box, kAlone);
  Histogram result;
  for (std::size_t b = 1; b < all.size(); ++b) {
    if (all[b] >= least) ++result[all[b]];
  }
  return result;
}

void expect_row_identities(const SBox& box) {
  const auto size = static_cast<std::int32_t>(box.size());
  const std::vector<Row> ddt = table(box, ddt_row), lat = table(box, lat_row),
                         act = table(box, autocorrelation_row);
  const std::vector<Row> bct = table(box, bct_row);
  for (std::size_t a = 0; a < ddt.size(); ++a) {
    ASSERT_EQ(std::accumulate(ddt[a].begin(), ddt[a].end(), 0), size);
    Row transformed = ddt[a];
    walsh(std::span(transformed), box.outputs());
    ASSERT_EQ(transformed, act[a]);
    for (std::size_t b = 0; b < ddt[a].size(); ++b) ASSERT_GE(bct[a][b], ddt[a][b]);
  }
  const Linear found = linear(box, kAlone);
  for (std::size_t b = 0; b < lat[0].size(); ++b) {
    std::int32_t squares = 0;
    for (const Row& row : lat) squares += row[b] * row[b];
    ASSERT_EQ(squares, size * size);
    if (b == 0) continue;
    ASSERT_EQ(found.components[b].balanced, lat[0][b] == 0);
  }
}

// The DDT is the two-dimensional transform of the squared LAT, divided by 2^(n + m).
void expect_ddt_from_lat(const SBox& box) {
  const std::size_t columns = std::size_t{box.last_mask()} + 1;
  std::vector<std::int64_t> squares;
  for (const Row& row : table(box, lat_row)) {
    for (const std::int32_t w : row) squares.push_back(std::int64_t{w} * w);
  }
  walsh(std::span(squares), box.inputs() + box.outputs());
  const std::vector<Row> ddt = table(box, ddt_row);
  for (std::size_t i = 0; i < squares.size(); ++i)
    ASSERT_EQ(squares[i], std::int64_t{ddt[i / columns][i % columns]} << (box.inputs() + box.outputs()));
}

void expect_same_up_to_equivalence(const SBox& a, const SBox& b) {
  ASSERT_EQ(differential(a, kAlone).ddt, differential(b, kAlone).ddt);
  ASSERT_EQ(magnitudes(linear(a, kAlone).walsh), magnitudes(linear(b, kAlone).walsh));
}

void expect_equivalence_invariants(const SBox& box, Random& random) {
  const AffineMap before(box.inputs(), random), after(box.outputs(), random);
  const SBox affine = changed(box, [&](std::uint32_t x) { return after(box[before(x)]); });
  expect_same_up_to_equivalence(box, affine);
  ASSERT_EQ(boomerang(box, kAlone).bct, boomerang(affine, kAlone).bct);
  ASSERT_EQ(degrees(box, 1), degrees(affine, 1));
  const AffineMap any(20, random);  // restricted to the outputs, a linear map that need not be invertible
  const SBox sum = changed(box, [&](std::uint32_t x) { return box[x] ^ (any(x) & box.last_mask()); });
  expect_same_up_to_equivalence(box, sum);
  ASSERT_EQ(degrees(box, 2), degrees(sum, 2));
}

TEST(Identities, OfRandomBoxesOfEveryShape) {
  Random random(1);
  for (int i = 0; i < kBoxes && !HasFatalFailure(); ++i) {
    const int inputs = 1 + static_cast<int>(random() % 5), outputs = 1 + static_cast<int>(random() % 6);
    const SBox box = random_box(inputs, outputs, random);
    SCOPED_TRACE("box " + std::to_string(i));
    expect_row_identities(box);
    expect_ddt_from_lat(box);
    expect_equivalence_invariants(box, random);
  }
}

// The graphs of a permutation and its inverse differ only in the order of coordinates.
TEST(Identities, OfInversePermutations) {
  Random random(2);
  for (int i = 0; i < kBoxes && !HasFatalFailure(); ++i) {
    const SBox box = random_permutation(1 + static_cast<int>(random() % 5), random);
    SCOPED_TRACE("permutation " + std::to_string(i));
    expect_same_up_to_equivalence(box, inverse(box));
    ASSERT_EQ(boomerang(box, kAlone).bct, boomerang(inverse(box), kAlone).bct);
  }
}

}  // namespace
}  // namespace fugu::spectral
