// Compares transforms with the definition, summed term by term, and with published functions.
#include "fugu/spectral/groups/vilenkin_chrestenson.hpp"

#include <numbers>

#include "fugu/spectral/groups/group_functions.hpp"
#include "kernels/walsh/ring_agent.hpp"
#include "spectral/support.hpp"

namespace fugu::spectral {
namespace {

using kernels::TileGeometry;
using testing::Each;
using testing::HasSubstr;

using Complex = std::complex<double>;
using Orders = std::vector<std::uint32_t>;

const Orders kLargest = ::fugu::test::kSanitized ? Orders{64, 3} : Orders{64, 3, 5};
const std::vector<Orders> kGroups{{1},       {2},    {5},      {3, 3},  {2, 2, 2}, {3, 3, 3, 3}, {2, 3, 4},
                                  {4, 1, 6}, {7, 9}, {12, 18}, {30, 2}, kLargest,  {210}};

std::vector<std::uint32_t> digits_of(const Orders& orders, std::size_t x) {
  std::vector<std::uint32_t> digits(orders.size());
  for (std::size_t s = orders.size(); s-- > 0; x /= orders[s])
    digits[s] = static_cast<std::uint32_t>(x % orders[s]);
  return digits;
}

std::size_t size_of(const Orders& orders) {
  std::size_t size = 1;
  for (const std::uint32_t q : orders) size *= q;
  return size;
}

// The angle of chi_w(x), in turns.
double turn(const Orders& orders, std::size_t w, std::size_t x) {
  const auto a = digits_of(orders, w), b = digits_of(orders, x);
  double sum = 0;
  for (std::size_t s = 0; s < orders.size(); ++s)
    sum += static_cast<double>(a[s] * b[s] % orders[s]) / orders[s];
  return sum;
}

std::vector<Complex> definition(const Orders& orders, const std::vector<Complex>& f) {
  std::vector<Complex> spectrum(f.size());
  for (std::size_t w = 0; w < f.size(); ++w) {
    for (std::size_t x = 0; x < f.size(); ++x)
      spectrum[w] += f[x] * std::polar(1.0, -2 * std::numbers::pi * turn(orders, w, x));
  }
  return spectrum;
}

std::vector<std::int64_t> random_integers(std::size_t count, int most) {
  return random_values<std::int64_t>(count, most, count);
}

TEST(VilenkinChrestenson, EqualsTheDefinition) {
  for (const Orders& orders : kGroups) {
    const CharacterGroup group(orders);
    const std::vector<std::int64_t> re = random_integers(size_of(orders), 9),
                                    im = random_integers(re.size() + 1, 9);
    std::vector<Complex> f(re.size());
    for (std::size_t i = 0; i < f.size(); ++i)
      f[i] = {static_cast<double>(re[i]), static_cast<double>(im[i])};
    std::vector<Complex> exact = f;
    std::vector<std::complex<float>> single(f.begin(), f.end());
    vilenkin_chrestenson(group, std::span(exact));
    vilenkin_chrestenson(group, std::span(single));
    const std::vector<Complex> expected = definition(orders, f);
    expect_near(exact, expected, 1e-9);
    expect_near(single, expected, 2e-2);
    inverse_vilenkin_chrestenson(group, std::span(exact));
    expect_near(exact, f, 1e-11);
  }
}

TEST(VilenkinChrestenson, RowsAreTransformedOnTheirOwnOnAnyThreads) {
  const Orders orders{3, 3, 3, 3, 3, 3, 3};
  const CharacterGroup group(orders);
  const auto order = static_cast<std::size_t>(group.order());
  std::vector<Complex> rows(31 * order);
  rows[30 * order + 1] = 1;  // the transform is the conjugate of chi_w(1), by the last digit of w
  vilenkin_chrestenson(group, std::span(rows), {.threads = 3});
  for (std::size_t i = 0; i < 30 * group.order(); ++i) ASSERT_EQ(rows[i], Complex());
  for (std::size_t w = 0; w < group.order(); ++w) {
    const Complex value = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(w % 3) / 3);
    ASSERT_NEAR(std::abs(rows[30 * order + w] - value), 0, 1e-12) << w;
  }
}

// Returns the complex number that a value in counts stands for.
Complex value_of(std::span<const std::int64_t> counts) {
  Complex sum = 0;
  for (std::size_t k = 0; k < counts.size(); ++k)
    sum += static_cast<double>(counts[k]) * std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(k) /
                                                                static_cast<double>(counts.size()));
  return sum;
}

TEST(VilenkinChrestenson, CountsStandForTheSameNumbers) {
  for (const Orders& orders : kGroups) {
    const CharacterGroup group(orders);
    const std::vector<std::int64_t> f = random_integers(size_of(orders), 1000);
    std::vector<std::int64_t> counts = counts_of_integers(group, f);
    vilenkin_chrestenson_counts(group, counts);
    const std::vector<Complex> expected = definition(orders, {f.begin(), f.end()});
    for (std::size_t w = 0; w < f.size(); ++w) {
      const Complex value = value_of(std::span(counts).subspan(w * group.modulus(), group.modulus()));
      ASSERT_NEAR(std::abs(value - expected[w]), 0, 1e-6) << w;
    }
  }
}

TEST(VilenkinChrestenson, OfTwoElementsIsTheWalshTransform) {
  const CharacterGroup group = CharacterGroup::parse("2^10");
  const std::vector<std::int64_t> f = random_integers(1024, 1 << 20);
  std::vector<std::int64_t> spectrum = f;
  walsh(std::span(spectrum), 10);
  std::vector<std::int64_t> counts = counts_of_integers(group, f);
  vilenkin_chrestenson_counts(group, counts);
  EXPECT_EQ(reduced_counts(group, counts), spectrum);
  std::vector<Complex> numbers(f.begin(), f.end());
  vilenkin_chrestenson(group, std::span(numbers));
  EXPECT_EQ(numbers, (std::vector<Complex>(spectrum.begin(), spectrum.end())));
}

// Computed by hand in Z[zeta_3]: F(1) = f(0) + f(1) zeta^2 + f(2) zeta = f(0) - f(1) + (f(2) - f(1)) zeta.
TEST(VilenkinChrestenson, EisensteinIntegers) {
  const CharacterGroup group = CharacterGroup::parse("3");
  std::vector<std::int64_t> counts = counts_of_integers(group, std::vector<std::int64_t>{5, 7, 1});
  vilenkin_chrestenson_counts(group, counts);
  EXPECT_EQ(reduced_counts(group, counts), (std::vector<std::int64_t>{13, 0, -2, -6, 4, 6}));
}

TEST(VilenkinChrestenson, ResiduesAreTheDefinitionModuloAPrime) {
  for (const Orders& orders : kGroups) {
    const CharacterGroup group(orders);
    const ResidueField field = ResidueField::largest(group);
    const std::uint64_t q = field.prime();
    std::vector<std::uint64_t> roots(group.modulus(), 1);
    for (std::size_t k = 1; k < roots.size(); ++k) roots[k] = roots[k - 1] * field.root() % q;
    for (std::size_t k = 1; k < roots.size(); ++k) ASSERT_NE(roots[k], 1u);
    ASSERT_EQ(roots.back() * field.root() % q, 1u);
    std::vector<std::uint32_t> f(size_of(orders));
    std::mt19937_64 random(7);
    for (std::uint32_t& x : f) x = static_cast<std::uint32_t>(random() % q);
    std::vector<std::uint32_t> spectrum = f;
    vilenkin_chrestenson(group, field, std::span(spectrum));
    for (std::size_t w = 0; w < f.size(); ++w) {
      std::uint64_t sum = 0;
      for (std::size_t x = 0; x < f.size(); ++x) {
        const auto e =
            static_cast<std::size_t>(std::llround(turn(orders, w, x) * group.modulus())) % group.modulus();
        sum = (sum + roots[(group.modulus() - e) % group.modulus()] * f[x]) % q;
      }
      ASSERT_EQ(spectrum[w], sum) << w;
    }
    inverse_vilenkin_chrestenson(group, field, std::span(spectrum));
    EXPECT_EQ(spectrum, f);
  }
}

std::size_t difference(const Orders& orders, std::size_t s, std::size_t x) {
  const auto a = digits_of(orders, s), b = digits_of(orders, x);
  std::size_t index = 0;
  for (std::size_t i = 0; i < orders.size(); ++i)
    index = index * orders[i] + (a[i] + orders[i] - b[i]) % orders[i];
  return index;
}

TEST(VilenkinChrestenson, ConvolvesOverTheGroup) {
  for (const Orders& orders : kGroups) {
    const CharacterGroup group(orders);
    const std::vector<std::int64_t> f = random_integers(size_of(orders), 1 << 24);
    std::vector<std::int64_t> g = f;
    std::ranges::reverse(g);
    std::vector<std::int64_t> expected(f.size()), correlation(f.size());
    for (std::size_t s = 0; s < f.size(); ++s) {
      for (std::size_t x = 0; x < f.size(); ++x) {
        expected[s] += f[x] * g[difference(orders, s, x)];
        correlation[difference(orders, s, x)] += f[s] * f[x];
      }
    }
    std::vector<std::int64_t> result = f, second = g;
    group_convolve(group, std::span(result), std::span(second));
    EXPECT_EQ(result, expected);
    result = f;
    group_autocorrelate(group, std::span(result));
    EXPECT_EQ(result, correlation);
    std::vector<Complex> numbers(f.size());
    for (std::size_t x = 0; x < f.size(); ++x) numbers[x] = static_cast<double>(f[x]) / (1 << 24);
    group_autocorrelate(group, std::span(numbers));
    for (std::size_t s = 0; s < f.size(); ++s)
      ASSERT_NEAR(numbers[s].real(), static_cast<double>(correlation[s]) * std::ldexp(1.0, -48), 1e-9) << s;
  }
}

std::vector<std::uint32_t> function(const Orders& orders,
                                    std::uint32_t (*f)(const std::vector<std::uint32_t>&)) {
  std::vector<std::uint32_t> values(size_of(orders));
  for (std::size_t x = 0; x < values.size(); ++x) values[x] = f(digits_of(orders, x));
  return values;
}

// Kumar, Scholtz, Welch, "Generalized bent functions and their properties", 1985: x^2 over an odd prime
// field, and the inner product x1 y1 + x2 y2, are bent; x1 x2 does not fill three variables; x is linear.
TEST(VilenkinChrestenson, BentAndPlateauedFunctions) {
  const auto summary = [](const Orders& orders, std::uint32_t (*f)(const std::vector<std::uint32_t>&)) {
    return summarize_p_valued(CharacterGroup(orders), function(orders, f));
  };
  const PValuedSummary square = summary({5}, [](const auto& x) { return x[0] * x[0] % 5; });
  EXPECT_TRUE(square.bent && square.plateaued && !square.balanced);
  EXPECT_EQ(square.largest_square, 5u);
  const PValuedSummary product =
      summary({3, 3, 3, 3}, [](const auto& x) { return (x[0] * x[2] + x[1] * x[3]) % 3; });
  EXPECT_TRUE(product.bent);
  EXPECT_EQ(product.largest_square, 81u);
  const PValuedSummary partial = summary({3, 3, 3}, [](const auto& x) { return (x[0] * x[1] + x[2]) % 3; });
  EXPECT_TRUE(partial.plateaued && !partial.bent && partial.balanced);
  EXPECT_EQ(partial.largest_square, 81u);  // 3^(3 + 1)
  const PValuedSummary linear = summary({7, 7}, [](const auto& x) { return (x[0] + 3 * x[1]) % 7; });
  EXPECT_TRUE(linear.plateaued && linear.balanced && !linear.bent);
  EXPECT_EQ(linear.largest_square, 2401u);
  const PValuedSummary cube = summary({7}, [](const auto& x) { return x[0] * x[0] * x[0] % 7; });
  EXPECT_FALSE(cube.bent || cube.plateaued || cube.balanced);
}

TEST(VilenkinChrestenson, RefusesWhatIsNotOfTheGroup) {
  const CharacterGroup group = CharacterGroup::parse("2x3");
  std::vector<Complex> five(5);
  EXPECT_THAT(usage_error([&] { vilenkin_chrestenson(group, std::span(five)); }),
              HasSubstr("not whole rows"));
  std::vector<std::int64_t> counts(35);
  EXPECT_THAT(usage_error([&] { vilenkin_chrestenson_counts(group, counts); }), HasSubstr("6 counts"));
  std::vector<std::int64_t> rows(72);  // only the second is too large
  rows[36] = rows[71] = std::int64_t{1} << 62;
  EXPECT_THAT(usage_error([&] { vilenkin_chrestenson_counts(group, rows); }), HasSubstr("64-bit"));
  EXPECT_THAT(usage_error([&] { ResidueField(group, 11); }), HasSubstr("6 k + 1"));
  EXPECT_THAT(usage_error([&] { ResidueField(group, 25); }), HasSubstr("6 k + 1"));
  const std::vector<std::uint32_t> exponents{0, 6};
  EXPECT_THAT(usage_error([&] { (void)counts_of_exponents(group, exponents); }), HasSubstr("value 1 is 6"));
  EXPECT_THAT(usage_error([&] { (void)summarize_p_valued(group, std::vector<std::uint32_t>(6)); }),
              HasSubstr("C_p^n"));
  EXPECT_THAT(usage_error([&] { (void)reduced_counts(group, counts); }), HasSubstr("prime"));
  std::vector<std::int64_t> large(6, std::int64_t{1} << 40);
  EXPECT_THAT(usage_error([&] { group_autocorrelate(group, std::span(large)); }), HasSubstr("2^60"));
  large = {std::int64_t{1} << 60, 0, 0, 0, 0, 0};
  std::vector<std::int64_t> ones(6, 1);
  EXPECT_THAT(usage_error([&] { group_convolve(group, std::span(large), std::span(ones)); }),
              HasSubstr("2^60"));
  std::vector<std::uint32_t> residues(6, 7);
  EXPECT_THAT(usage_error([&] { vilenkin_chrestenson(group, ResidueField(group, 7), std::span(residues)); }),
              HasSubstr("not a residue"));
}

// Passes whose blocks work on one tile while the next one is copied, run on the host.

// When copies complete: as early as possible, so that they destroy values still in use if there are any, or
// as late as possible.
enum class Landing { early, late };

template <class T, class Pass>
class FakeRing {
 public:
  using Tile = typename Pass::Tile;

  FakeRing(Landing landing, ThreadOrder order) : landing_(landing), order_(order) {}

  // Runs block `block` of `blocks`, in place.
  void run(std::vector<T>& data, const TileGeometry& geometry, std::uint64_t block, std::uint64_t blocks) {
    const std::uint64_t tiles = data.size() / (Tile::kValues * Tile::kThreads);
    fetch(0, data, geometry, block);
    fetch(1, data, geometry, block);
    std::uint64_t tile = block;
    for (unsigned turn = 0; tile < tiles; ++turn, tile += blocks) {
      land();
      const bool more = tile + blocks < tiles;
      if (more) fetch(2 * turn + 2, data, geometry, tile + blocks);
      steps<0>(turn);
      if (more) fetch(2 * turn + 3, data, geometry, tile + blocks);
      run_phase(threads_, order_, [&](Tile& t, unsigned thread) {
        kernels::ring_finish<Pass>(t);
        kernels::ValueSink<T> sink{data.data()};
        t.store(sink, geometry, tile, thread, Pass::window(Pass::kPhases - 1), data.size());
      });
    }
  }

 private:
  void fetch(unsigned half, const std::vector<T>& data, const TileGeometry& geometry, std::uint64_t tile) {
    const auto copy = [&](T* to, const T* from) {
      flying_.push_back([=] { std::memcpy(to, from, kernels::kPieceBytes); });
    };
    run_phase(threads_, order_, [&](Tile&, unsigned thread) {
      Tile::fetch(copy, ring_.data(), half, data.data(), geometry, tile, thread);
    });
    if (landing_ == Landing::early) land();
  }

  void land() {
    for (const auto& copy : flying_) copy();
    flying_.clear();
  }

  template <int phase>
  void steps(unsigned turn) {
    run_phase(threads_, order_, [&](Tile& t, unsigned thread) {
      kernels::ring_step<Pass, phase>(t, ring_.data(), turn, thread);
    });
    if constexpr (phase + 1 < Pass::kPhases) steps<phase + 1>(turn);
  }

  Landing landing_;
  ThreadOrder order_;
  std::vector<std::function<void()>> flying_;
  std::vector<T> ring_ = std::vector<T>(kernels::kRingBytes / sizeof(T));
  std::vector<Tile> threads_ = std::vector<Tile>(Tile::kThreads);
};

// One block takes all eight tiles, so that the ring turns more than five times.
template <class T, class Pass>
void expect_stages(const TileGeometry& geometry, int tile_bits, int first, int count) {
  static_assert(Pass::Tile::kRingBytes <= kernels::kRingBytes);
  const auto data = test::random_values<T>(std::size_t{8} << tile_bits, 9, 7);
  const auto expected = test::stages(data, first, count);
  for (const Landing landing : {Landing::early, Landing::late}) {
    for (const ThreadOrder order : {ThreadOrder::upwards, ThreadOrder::downwards}) {
      if (::fugu::test::kSanitized && (landing == Landing::early) != (order == ThreadOrder::upwards))
        continue;
      auto done = data;
      FakeRing<T, Pass>(landing, order).run(done, geometry, 0, 1);
      EXPECT_EQ(done, expected);
    }
  }
}

template <class T>
class RingOf : public testing::Test {};
TYPED_TEST_SUITE(RingOf, Types);

TYPED_TEST(RingOf, ContiguousPassDoesEveryStageOfItsTiles) {
  constexpr int tile = kernels::ring_tile_bits(sizeof(TypeParam));
  using Pass = kernels::RingContiguous<TypeParam, tile, 5>;
  expect_stages<TypeParam, Pass>({tile, tile}, tile, 0, tile);
}

template <class T, int rows>
void expect_rows() {
  constexpr int tile = kernels::ring_tile_bits(sizeof(T));
  using Pass = kernels::RingStrided<T, tile, kernels::register_bits_of(tile), tile - rows>;
  for (const int first : {tile - rows, tile + 2 - rows, tile + 3 - rows})
    expect_stages<T, Pass>({tile - rows, first}, tile, first, rows);
}

TYPED_TEST(RingOf, StridedPassesDoTheStagesOfTheirRows) {
  expect_rows<TypeParam, 10>();
  if constexpr (sizeof(TypeParam) == 4) expect_rows<TypeParam, 11>();
}

}  // namespace
}  // namespace fugu::spectral
