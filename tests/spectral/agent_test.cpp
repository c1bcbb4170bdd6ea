// Runs the phases of the GPU kernels on the host.
#include "fugu/spectral/boolean.hpp"
#include "fugu/spectral/cuda/detail/walsh_plan.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "kernels/dyadic/dyadic_agent.hpp"
#include "kernels/walsh/boolean_agent.hpp"
#include "kernels/walsh/moebius_agent.hpp"
#include "kernels/walsh/pair_agent.hpp"
#include "kernels/walsh/received_agent.hpp"
#include "kernels/walsh/reorder_agent.hpp"
#include "spectral/support.hpp"

namespace fugu::spectral {
namespace {

using kernels::StageRange;
using kernels::TileGeometry;
using kernels::Walk;
using kernels::WalshPass;

template <class T, int tile_bits, int register_bits>
struct FakeBlock {
  using Contiguous = kernels::ContiguousPass<T, tile_bits, register_bits>;
  using Strided = kernels::StridedPass<T, tile_bits, register_bits>;
  using Tile = typename Contiguous::Tile;

  std::vector<Tile> threads = std::vector<Tile>(Tile::kThreads);
  std::vector<T> shared = std::vector<T>(Tile::kSharedValues);
  ThreadOrder order;

  explicit FakeBlock(ThreadOrder thread_order) : order(thread_order) {}

  template <class Phase>
  void phase(Phase run) {
    run_phase(threads, order, run);
  }

  template <Walk walk>
  void walk_contiguous(StageRange stages) {
    T* memory = shared.data();
    phase([&](Tile& t, unsigned i) { Contiguous::template step<walk, 0>(t, memory, i, stages); });
    phase([&](Tile& t, unsigned i) { Contiguous::template step<walk, 1>(t, memory, i, stages); });
    phase([&](Tile& t, unsigned i) { Contiguous::template step<walk, 2>(t, memory, i, stages); });
  }

  template <Walk walk>
  void walk_strided(const TileGeometry& geometry, StageRange stages) {
    T* memory = shared.data();
    phase([&](Tile& t, unsigned i) { Strided::template step<walk, 0>(t, memory, i, geometry, stages); });
    phase([&](Tile& t, unsigned i) { Strided::template step<walk, 1>(t, memory, i, geometry, stages); });
  }

  template <Walk walk = Walk::forward, class Source, class Sink>
  void run(const WalshPass& pass, std::uint64_t tile, const Source& source, Sink& sink, std::uint64_t size) {
    const TileGeometry geometry{pass.column_bits, pass.first};
    const StageRange stages{pass.from, pass.to};
    const int first =
        pass.strided ? Strided::first_window(walk, geometry, stages) : Contiguous::first_window(walk);
    const int last =
        pass.strided ? Strided::last_window(walk, geometry, stages) : Contiguous::last_window(walk);
    phase([&](Tile& t, unsigned thread) { t.load(source, geometry, tile, thread, first, size); });
    if (pass.strided) {
      walk_strided<walk>(geometry, stages);
    } else {
      walk_contiguous<walk>(stages);
    }
    phase([&](Tile& t, unsigned thread) { t.store(sink, geometry, tile, thread, last, size); });
  }
};

template <class T, int tile_bits, int register_bits, Walk walk>
void run_tiles(const WalshPass& pass, std::vector<T>& data, ThreadOrder order) {
  FakeBlock<T, tile_bits, register_bits> block(order);
  kernels::ValueSink<T> sink{data.data()};
  const std::uint64_t tiles = (data.size() + (1u << tile_bits) - 1) >> tile_bits;
  for (std::uint64_t tile = 0; tile < tiles; ++tile)
    block.template run<walk>(pass, tile, kernels::ValueSource<T>{data.data()}, sink, data.size());
}

template <Walk walk = Walk::forward, class T>
void run_pass(const WalshPass& pass, std::vector<T>& data, ThreadOrder order) {
  switch (pass.tile_bits) {
    case 11:
      return run_tiles<T, 11, kernels::register_bits_of(11), walk>(pass, data, order);
    case 12:
      return run_tiles<T, 12, kernels::register_bits_of(12), walk>(pass, data, order);
    case 13:
      return run_tiles<T, 13, kernels::register_bits_of(13), walk>(pass, data, order);
    case 14:
      return run_tiles<T, 14, kernels::register_bits_of(14), walk>(pass, data, order);
    default:
      FAIL() << "no such tile: " << pass.tile_bits;
  }
}

TEST(Histogram, CountersOfSmallQuotientsComeFirst) {
  for (const std::int32_t half : {1, 100, 1000}) {
    std::set<std::uint32_t> counters;
    for (std::int32_t quotient = -half; quotient < half; ++quotient)
      counters.insert(kernels::counter_of(quotient));
    EXPECT_EQ(counters.size(), static_cast<std::size_t>(2 * half));
    EXPECT_EQ(*counters.rbegin(), static_cast<std::uint32_t>(2 * half - 1));
  }
}

int sign_changes(std::uint64_t a, int n) {
  int changes = 0;
  for (std::uint64_t x = 1; x < std::uint64_t{1} << n; ++x)
    changes += test::sign(a, x) != test::sign(a, x - 1) ? 1 : 0;
  return changes;
}

// Row k of Paley's order is the product of the Rademacher functions of the bits of k. The first Rademacher
// function changes sign once.
std::uint64_t paley_row(std::uint64_t k, int n) {
  std::uint64_t row = 0;
  for (int bit = 0; bit < n; ++bit)
    if ((k >> bit & 1) != 0) row |= std::uint64_t{1} << (n - 1 - bit);
  return row;
}

TEST(ReorderAgent, ReadsTheRowThatTheOrderingHasThere) {
  for (int n = 0; n <= 8; ++n) {
    const std::uint64_t size = std::uint64_t{1} << n;
    for (std::uint64_t at = 0; at < 3 * size; ++at) {
      const std::uint64_t sequency = kernels::reorder_source({n, true, false}, at);
      const std::uint64_t dyadic = kernels::reorder_source({n, false, false}, at);
      EXPECT_EQ(sequency / size, at / size) << "rows of a batch stay apart";
      EXPECT_EQ(sign_changes(sequency % size, n), static_cast<int>(at % size));
      EXPECT_EQ(dyadic, at / size * size + paley_row(at % size, n));
      EXPECT_EQ(kernels::reorder_source({n, true, true}, sequency), at);
      EXPECT_EQ(kernels::reorder_source({n, false, true}, dyadic), at);
    }
  }
}

template <class T>
class AgentOf : public testing::Test {};
TYPED_TEST_SUITE(AgentOf, Types);

TEST(MoebiusAgent, PlansYieldTheFormOfTheCpu) {
  const int n = 13;
  const TruthTable f = random_function(n, 7);
  std::vector<kernels::Parity> words;
  for (const std::uint64_t word : f.words())
    for (const int shift : {0, 32})
      words.push_back(kernels::parity_of_word(static_cast<std::uint32_t>(word >> shift)));
  for (const WalshPass& pass : cuda::plan_moebius(n)) run_pass(pass, words, ThreadOrder::downwards);
  const auto form = moebius(f).words();
  for (std::size_t i = 0; i < words.size(); ++i)
    ASSERT_EQ(words[i].bits, static_cast<std::uint32_t>(form[i / 2] >> (32 * (i % 2)))) << i;
}

// A sum of few monomials has a known degree. Its truth table is the transform of its normal form.
TEST(MoebiusAgent, LargePlansAreTheirOwnInverse) {
  for (const int n : {20, 22}) {
    std::vector<kernels::Parity> form(std::size_t{1} << (n - 5));
    form[(std::size_t{1} << (n - 5)) - 1] = {0x00010000u};
    form[17] = {0x80000001u};
    auto words = form;
    for (const int turn : {0, 1}) {
      for (auto& word : words) word = kernels::parity_of_word(word.bits);
      for (const WalshPass& pass : cuda::plan_moebius(n))
        run_pass(pass, words, turn == 0 ? ThreadOrder::upwards : ThreadOrder::downwards);
    }
    EXPECT_TRUE(words == form) << n;
  }
}

TEST(MoebiusAgent, DegreeIsTheMostVariablesOfATerm) {
  for (std::uint64_t word = 0; word < 100; ++word) {
    for (int bit = 0; bit < 32; ++bit) {
      const int variables = std::popcount(32 * word + static_cast<std::uint64_t>(bit));
      EXPECT_EQ(kernels::degree_and_one(word, {1u << bit | 1u}, ~0u),
                static_cast<std::uint32_t>(variables + 1));
    }
  }
  EXPECT_EQ(kernels::degree_and_one(3, {0}, ~0u), 0u);
  EXPECT_EQ(kernels::degree_and_one(0, {0xfffffff0u}, 15), 0u) << "two variables have four coefficients";
}

// Compares whole plans with the CPU's transform, which other tests compare with the definition.
TYPED_TEST(AgentOf, PlansTransformRows) {
  for (const std::size_t shared : {227u * 1024, 48u * 1024}) {
    for (const int n : {0, 1, 5, 10, 11, 12, 13, 14, 15, 16, 19}) {
      auto data = test::random_values<TypeParam>(std::size_t{1} << n, 9, static_cast<std::uint64_t>(n));
      auto expected = data;
      walsh(std::span(expected), n);
      const ThreadOrder order = n % 2 == 0 ? ThreadOrder::upwards : ThreadOrder::downwards;
      const auto plan = cuda::plan_walsh(n, data.size(), sizeof(TypeParam), {shared, 0});
      for (const WalshPass& pass : plan.passes) run_pass(pass, data, order);
      EXPECT_EQ(data, expected) << "n = " << n << ", shared " << shared;
    }
  }
}

TYPED_TEST(AgentOf, BatchesEndInsideATile) {
  for (const int n : {0, 1, 4, 7, 13}) {
    for (const std::size_t rows : {1u, 3u, 5u}) {
      auto data = test::random_values<TypeParam>(rows << n, 9, rows);
      auto expected = data;
      walsh(std::span(expected), n);
      const auto plan = cuda::plan_walsh(n, data.size(), sizeof(TypeParam), {227 * 1024, 0});
      for (const WalshPass& pass : plan.passes) run_pass(pass, data, ThreadOrder::downwards);
      EXPECT_EQ(data, expected) << "n = " << n << ", rows " << rows;
    }
  }
}

// Compares one strided pass with the stages that it computes.
TEST(Agent, StridedPassesOfEveryRowCount) {
  for (int stages = 0; stages <= 10; ++stages) {
    const WalshPass pass = cuda::strided_pass(14, kernels::register_bits_of(14), 17 - stages, stages);
    auto data = test::random_values<std::int32_t>(1 << 17, 9, 3);
    const auto expected = test::stages(data, 17 - stages, stages);
    auto backward = data;
    run_pass(pass, data, ThreadOrder::upwards);
    EXPECT_EQ(data, expected) << stages;
    run_pass<Walk::backward>(pass, backward, ThreadOrder::downwards);
    EXPECT_EQ(backward, expected) << stages;
  }
}

TEST(Agent, PackedBitsBecomeASpectrum) {
  constexpr int n = 14;
  const TruthTable function = random_function(n, 5);
  const auto words = cuda::packed_words(function);
  std::vector<std::int32_t> out(1 << n);
  kernels::ValueSink<std::int32_t> sink{out.data()};
  FakeBlock<std::int32_t, 14, 5> block(ThreadOrder::upwards);
  block.run({false, n, n, n, 0, n}, 0, kernels::PolaritySource{words.data()}, sink, out.size());
  EXPECT_EQ(out, walsh_spectrum(function));
}

TEST(Agent, QuadsHoldFourTransformedBits) {
  for (unsigned bits = 0; bits < kernels::kQuads; ++bits) {
    std::vector<int> f(4);
    for (std::size_t i = 0; i < 4; ++i) f[i] = (bits >> i & 1) != 0 ? -1 : 1;
    std::int32_t first = 0, second = 0;
    kernels::split_quad(kernels::quad_of_bits(bits), first, second);
    const auto halves = [](std::int32_t pair) {
      const auto low = static_cast<std::int16_t>(pair);
      return std::pair<int, int>(low, (pair - low) >> 16);
    };
    const auto w = test::walsh_definition<int>(f);
    EXPECT_EQ(halves(first), std::pair(w[0], w[1])) << bits;
    EXPECT_EQ(halves(second), std::pair(w[2], w[3])) << bits;
  }
}

// Transforms a tile of 2^14 values by quads and pairs. Constant functions have the largest values that 8 and
// 16 bits must hold.
TEST(Agent, PairsOfBitsBecomeASpectrum) {
  constexpr int n = kernels::kBooleanFirstStages, tile = kernels::kBooleanTileBits;
  using Block = FakeBlock<std::int32_t, tile, kernels::register_bits_of(tile)>;
  std::int32_t quads[kernels::kQuads];
  for (unsigned i = 0; i < kernels::kQuads; ++i) quads[i] = kernels::quad_of_bits(i);
  for (const std::uint64_t seed : {0u, 1u, 7u}) {
    TruthTable function = seed != 0 ? random_function(n, seed) : TruthTable(n);
    if (seed == 1) std::ranges::fill(function.words(), ~std::uint64_t{0});
    std::vector<std::uint32_t> out(1 << tile);
    kernels::PairSink sink{out.data()};
    Block block(ThreadOrder::downwards);
    block.phase([&](auto& t, unsigned i) { kernels::pairs_of_bits(quads, function.words()[i], t.x); });
    block.walk_contiguous<Walk::from_lowest>(StageRange{5, tile});
    const int last = Block::Contiguous::last_window(Walk::from_lowest);
    block.phase(
        [&](auto& t, unsigned i) { t.store(sink, Block::Contiguous::geometry(), 0, i, last, out.size()); });
    const auto expected = walsh_spectrum(function);
    for (std::size_t x = 0; x < expected.size(); ++x)
      ASSERT_EQ(static_cast<std::int16_t>(out[x / 2] >> (x % 2 * 16)), expected[x]) << x;
  }
}

// Rows of 2^n 16-bit values on tiles of 2^12 pairs; the results are integers that float16 holds.
TEST(Agent, PairsTransformRowsOf16BitFloats) {
  using Block = FakeBlock<kernels::Pair, 12, 5>;
  for (const int n : {1, 2, 5, 9, 12, 13}) {
    const std::size_t rows = (std::size_t{3} << 12) >> n;  // the last tile is not full
    auto expected = test::random_values<float>(rows << n, 2, static_cast<std::uint64_t>(n));
    std::vector<std::uint32_t> words(expected.size() / 2);
    for (std::size_t i = 0; i < expected.size(); ++i)
      words[i / 2] |= std::uint32_t{core::rounded<core::Float16>(expected[i]).bits} << (i % 2 * 16);
    walsh(std::span(expected), n);
    const kernels::WordSource<core::Float16> source{words.data()};
    std::vector<std::uint32_t> out(words.size());
    kernels::WordSink<core::Float16> sink{out.data(), 0.5f};
    for (std::size_t number = 0; number << 12 < words.size(); ++number) {
      Block block(number % 2 == 0 ? ThreadOrder::upwards : ThreadOrder::downwards);
      const TileGeometry geometry = Block::Contiguous::geometry();
      const int first = Block::Contiguous::first_window(Walk::forward);
      const int last = Block::Contiguous::last_window(Walk::forward);
      block.phase([&](auto& t, unsigned i) { t.load(source, geometry, number, i, first, words.size()); });
      block.walk_contiguous<Walk::forward>({0, n - 1});
      block.phase([&](auto& t, unsigned i) { t.store(sink, geometry, number, i, last, words.size()); });
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const core::Float16 found{static_cast<std::uint16_t>(out[i / 2] >> (i % 2 * 16))};
      ASSERT_EQ(core::to_float(found), core::to_float(core::rounded<core::Float16>(expected[i] / 2))) << n;
    }
  }
}

TEST(Agent, ScaledSinkDividesAndReportsFractions) {
  std::uint32_t inexact = 0;
  std::int32_t whole = 0;
  const auto integers = kernels::scaled_sink(&whole, kernels::division(3, &inexact));
  integers(0, -24);
  EXPECT_EQ(whole, -3);
  EXPECT_EQ(inexact, 0u);
  integers(0, 9);
  EXPECT_EQ(inexact, 1u);
  for (const int shift : {31, 32, 40}) {  // the fraction has all bits, for 31 all but the sign
    inexact = 0;
    const auto all = kernels::scaled_sink(&whole, kernels::division(shift, &inexact));
    all(0, 0);
    EXPECT_EQ(whole, 0);
    EXPECT_EQ(inexact, 0u);
    all(0, std::numeric_limits<std::int32_t>::min());
    EXPECT_EQ(inexact, shift == 31 ? 0u : 1u) << shift;
    all(0, 1);
    EXPECT_EQ(inexact, 1u);
  }
  float real = 0;
  kernels::scaled_sink(&real, kernels::division(3))(0, 9.0f);
  EXPECT_EQ(real, 1.125f);
}

// One block transforms, multiplies and transforms back, which is the convolution of one tile.
TEST(Agent, FusedPassConvolves) {
  using Block = FakeBlock<std::int64_t, 12, 4>;
  using Pass = Block::Contiguous;
  const auto f = test::random_values<std::int64_t>(1 << 12, 9, 1);
  const auto g = test::random_values<std::int64_t>(1 << 12, 9, 2);
  const StageRange stages{0, 12};
  const TileGeometry geometry = Pass::geometry();
  Block block(ThreadOrder::downwards);
  std::vector<Block::Tile> transformed[2];
  for (int which = 0; which < 2; ++which) {
    const kernels::ValueSource<std::int64_t> source{(which == 0 ? f : g).data()};
    const int window = Pass::first_window(Walk::forward);
    block.phase([&](auto& t, unsigned i) { t.load(source, geometry, 0, i, window, f.size()); });
    block.walk_contiguous<Walk::forward>(stages);
    transformed[which] = block.threads;
  }
  for (std::size_t i = 0; i < block.threads.size(); ++i) {
    block.threads[i] = transformed[0][i];
    kernels::multiply_tiles(block.threads[i], transformed[1][i]);
  }
  block.walk_contiguous<Walk::backward>(stages);
  std::vector<std::int64_t> result(f.size());
  kernels::ScaledSink<std::int64_t> sink = kernels::scaled_sink(result.data(), kernels::division(12));
  std::uint32_t inexact = 0;
  sink.inexact = &inexact;
  const int window = Pass::last_window(Walk::backward);
  block.phase([&](auto& t, unsigned i) { t.store(sink, geometry, 0, i, window, f.size()); });
  EXPECT_EQ(result, test::convolution_definition<std::int64_t>(f, g));
  EXPECT_EQ(inexact, 0u);
}

// The largest and the smallest value of 16 bits fit; the next ones beyond do not.
TEST(NarrowSink, NoticesWhatDoesNotFit) {
  std::int16_t out[2] = {};
  std::uint32_t beyond = 0;
  for (const auto& [value, fits] :
       {std::pair{32767, true}, {-32768, true}, {32768, false}, {-32769, false}}) {
    beyond = 0;
    kernels::NarrowSink sink{out, &beyond};
    sink.begin();
    sink(0, -5);
    sink(1, value);
    sink.end();
    EXPECT_EQ(beyond, fits ? 0u : 1u) << value;
    EXPECT_EQ(out[0], -5);
    if (fits) {
      EXPECT_EQ(out[1], value);
    }
  }
}

// Each value of the row is its index; in its place there are only those of the own part.
TEST(ReceivedParts, EachValueIsFoundWhereItArrived) {
  constexpr int kColumnBits = 3;
  constexpr unsigned kColumns = 1u << kColumnBits;
  for (const unsigned parts : {2u, 4u, 8u}) {
    for (unsigned own = 0; own < parts; ++own) {
      std::vector<int> data(parts * kColumns, -1);
      std::vector<int> arrived;
      for (unsigned part = 0; part < parts; ++part) {
        for (unsigned column = 0; column < kColumns; ++column) {
          const unsigned at = part * kColumns + column;
          if (part == own) {
            data[at] = static_cast<int>(at);
          } else {
            arrived.push_back(static_cast<int>(at));
          }
        }
      }
      const kernels::ReceivedParts received{arrived.data(), kColumnBits, own};
      for (unsigned at = 0; at < data.size(); ++at)
        EXPECT_EQ(*kernels::place_of(data.data(), received, at), static_cast<int>(at))
            << parts << ", " << own;
    }
  }
}

}  // namespace
}  // namespace fugu::spectral
