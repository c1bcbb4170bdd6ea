// The GPU kernels' phases and plans, on the host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <set>

#include "fugu/spectral/boolean.hpp"
#include "fugu/spectral/characters.hpp"
#include "fugu/spectral/cuda/walsh_plan.hpp"
#include "fugu/spectral/walsh.hpp"
#include "kernels/characters_agent.hpp"
#include "kernels/dyadic_agent.hpp"
#include "kernels/walsh_agent.hpp"
#include "spectral/definition.hpp"
#include "spectral/fake_block.hpp"

namespace fugu::spectral {
namespace {

using kernels::StageRange;
using kernels::TileGeometry;
using kernels::WalshPass;
using test::run_phase;
using test::ThreadOrder;

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

  template <class Source, class Sink>
  void run(const WalshPass& pass, std::uint64_t tile, const Source& source, Sink& sink, std::uint64_t size) {
    const TileGeometry geometry{pass.column_bits, pass.first};
    const StageRange stages{pass.from, pass.to};
    T* memory = shared.data();
    const int last = pass.strided ? Strided::last_window(geometry, stages) : Contiguous::last_window();
    phase([&](Tile& t, unsigned thread) { t.load(source, geometry, tile, thread, Tile::kTopWindow, size); });
    if (pass.strided) {
      phase([&](Tile& t, unsigned i) { Strided::template forward<0>(t, memory, i, geometry, stages); });
      phase([&](Tile& t, unsigned i) { Strided::template forward<1>(t, memory, i, geometry, stages); });
    } else {
      phase([&](Tile& t, unsigned i) { Contiguous::template forward<0>(t, memory, i, stages); });
      phase([&](Tile& t, unsigned i) { Contiguous::template forward<1>(t, memory, i, stages); });
      phase([&](Tile& t, unsigned i) { Contiguous::template forward<2>(t, memory, i, stages); });
      phase([&](Tile& t, unsigned i) { Contiguous::template forward<3>(t, memory, i, stages); });
    }
    phase([&](Tile& t, unsigned thread) { t.store(sink, geometry, tile, thread, last, size); });
  }
};

template <class T, int tile_bits, int register_bits>
void run_tiles(const WalshPass& pass, std::vector<T>& data, ThreadOrder order) {
  FakeBlock<T, tile_bits, register_bits> block(order);
  kernels::ValueSink<T> sink{data.data()};
  const std::uint64_t tiles = (data.size() + (1u << tile_bits) - 1) >> tile_bits;
  for (std::uint64_t tile = 0; tile < tiles; ++tile) {
    block.run(pass, tile, kernels::ValueSource<T>{data.data()}, sink, data.size());
  }
}

template <class T>
void run_pass(const WalshPass& pass, std::vector<T>& data, ThreadOrder order) {
  switch (pass.tile_bits) {
    case 11:
      return run_tiles<T, 11, kernels::register_bits_of(11)>(pass, data, order);
    case 13:
      return run_tiles<T, 13, kernels::register_bits_of(13)>(pass, data, order);
    case 14:
      return run_tiles<T, 14, kernels::register_bits_of(14)>(pass, data, order);
    default:
      FAIL() << "no such tile: " << pass.tile_bits;
  }
}

constexpr std::size_t kSharedOf[] = {227 * 1024, 99 * 1024, 64 * 1024, 48 * 1024};

TEST(WalshPlan, EveryStageIsDoneOnceInPassesThatTilesAllow) {
  for (const std::size_t element : {4u, 8u}) {
    for (const std::size_t shared : kSharedOf) {
      const bool clusters = shared == kSharedOf[0];
      for (int n = 0; n <= 36; ++n) {
        std::multiset<int> done;
        for (const WalshPass& pass :
             cuda::plan_passes(n, std::uint64_t{1} << n, element, {shared, clusters})) {
          SCOPED_TRACE(testing::Message() << "n " << n << ", " << element << " bytes, shared " << shared);
          EXPECT_LE(kernels::tile_shared_bytes(pass.tile_bits, element), shared);
          const int registers = kernels::register_bits_of(pass.tile_bits);
          const int own = pass.strided ? pass.first + pass.tile_bits - pass.column_bits : pass.tile_bits;
          for (int stage = own; pass.cluster && stage < own + kernels::kClusterStages; ++stage)
            done.insert(stage);
          if (!pass.strided) {
            for (int stage = 0; stage < pass.to; ++stage) done.insert(stage);
            continue;
          }
          for (int bit = pass.from; bit < pass.to; ++bit) done.insert(bit - pass.column_bits + pass.first);
          EXPECT_GE(pass.first, pass.column_bits);
          EXPECT_GE(pass.from, pass.column_bits);
          EXPECT_GE(pass.column_bits, element == 4 ? (pass.tile_bits == 13 ? 3 : 3) : 3)
              << "shorter than a sector";
          EXPECT_LE(pass.tile_bits - pass.column_bits, 2 * registers);
          EXPECT_GE(pass.tile_bits - pass.column_bits, registers);
          EXPECT_LE(pass.first + pass.tile_bits - pass.column_bits, n);
        }
        std::multiset<int> every;
        for (int stage = 0; stage < n; ++stage) every.insert(stage);
        EXPECT_EQ(done, every) << "n = " << n;
      }
    }
  }
}

TEST(WalshPlan, PassesAreAsFewAsTheChipAllows) {
  const auto passes = [](int n, std::size_t element) {
    return cuda::plan_passes(n, std::uint64_t{1} << n, element, {227 * 1024, true}).size();
  };
  EXPECT_EQ(passes(14, 4), 1u);
  for (int n = 15; n <= 26; ++n) EXPECT_EQ(passes(n, 4), 2u) << n;
  for (int n = 27; n <= 34; ++n) EXPECT_EQ(passes(n, 4), 3u) << n;
  for (int n = 14; n <= 25; ++n) EXPECT_EQ(passes(n, 8), 2u) << n;
  for (int n = 26; n <= 33; ++n) EXPECT_EQ(passes(n, 8), 3u) << n;
}

template <class T>
class AgentOf : public testing::Test {};
using Types = testing::Types<std::int32_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(AgentOf, Types);

// Whole plans against the CPU transform, which the definition vouches for.
TYPED_TEST(AgentOf, PlansTransformRows) {
  for (const std::size_t shared : {kSharedOf[0], kSharedOf[3]}) {
    for (const int n : {0, 1, 5, 10, 11, 12, 13, 14, 15, 16, 19}) {
      auto data = test::random_values<TypeParam>(std::size_t{1} << n, 9, static_cast<std::uint64_t>(n));
      auto expected = data;
      walsh(std::span(expected), n);
      const ThreadOrder order = n % 2 == 0 ? ThreadOrder::upwards : ThreadOrder::downwards;
      for (const WalshPass& pass : cuda::plan_passes(n, data.size(), sizeof(TypeParam), {shared, false})) {
        run_pass(pass, data, order);
      }
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
      for (const WalshPass& pass :
           cuda::plan_passes(n, data.size(), sizeof(TypeParam), {kSharedOf[0], true})) {
        run_pass(pass, data, ThreadOrder::downwards);
      }
      EXPECT_EQ(data, expected) << "n = " << n << ", rows " << rows;
    }
  }
}

// One strided pass on its own, against the stages it stands for.
TEST(Agent, StridedPassesOfEveryRowCount) {
  for (int stages = 0; stages <= 10; ++stages) {
    const WalshPass pass = cuda::strided_pass(14, kernels::register_bits_of(14), 17 - stages, stages);
    auto data = test::random_values<std::int32_t>(1 << 17, 9, 3);
    auto expected = data;
    for (int stage = 17 - stages; stage < 17; ++stage) {
      for (std::size_t i = 0; i < expected.size(); ++i) {
        if ((i >> stage & 1) == 0) core::butterfly(expected[i], expected[i + (std::size_t{1} << stage)]);
      }
    }
    run_pass(pass, data, ThreadOrder::upwards);
    EXPECT_EQ(data, expected) << stages;
  }
}

std::vector<std::uint32_t> words_of(const TruthTable& function) {
  std::vector<std::uint32_t> words;
  for (const std::uint64_t word : function.words()) {
    words.push_back(static_cast<std::uint32_t>(word));
    words.push_back(static_cast<std::uint32_t>(word >> 32));
  }
  return words;
}

TEST(Agent, PackedBitsBecomeASpectrum) {
  constexpr int n = 14;
  TruthTable function(n);
  function.words() = test::random_bits(n, 5);
  const auto words = words_of(function);
  std::vector<std::int32_t> out(1 << n);
  kernels::ValueSink<std::int32_t> sink{out.data()};
  FakeBlock<std::int32_t, 14, 5> block(ThreadOrder::upwards);
  block.run({false, n, n, n, 0, n}, 0, kernels::PolaritySource{words.data()}, sink, out.size());
  EXPECT_EQ(out, walsh_spectrum(function));
}

// Two tiles' worth of stages of 2^15 values, by pairs. Constants reach the largest values that 16 bits have
// to hold.
TEST(Agent, PairsOfBitsBecomeSpectraOfTheirHalves) {
  for (const std::uint64_t seed : {0u, 1u, 7u}) {
    TruthTable function(15);
    if (seed != 0) function.words() = test::random_bits(15, seed);
    if (seed == 1) std::ranges::fill(function.words(), ~std::uint64_t{0});
    const auto words = words_of(function);
    std::vector<std::uint32_t> out(1 << 14);
    kernels::PairSink sink{out.data()};
    FakeBlock<std::int32_t, 14, 5> block(ThreadOrder::downwards);
    block.run({false, 14, 14, 14, 0, 13}, 0, kernels::PolarityPairSource{words.data()}, sink, out.size());
    std::vector<std::int32_t> expected(1 << 15);
    for (std::size_t x = 0; x < expected.size(); ++x) expected[x] = function[x] ? -1 : 1;
    walsh(std::span(expected), 14);
    for (std::size_t x = 0; x < expected.size(); ++x) {
      ASSERT_EQ(static_cast<std::int16_t>(out[x / 2] >> (x % 2 * 16)), expected[x]) << x;
    }
  }
}

// A group of four blocks, contiguous and strided.
TEST(Agent, GroupsOfBlocksDoTheStagesBetweenTheirTiles) {
  using Block = FakeBlock<std::int32_t, 14, 5>;
  using Round = kernels::ClusterRound<std::int32_t, 14, 5>;
  for (const WalshPass& pass : {cuda::cluster_contiguous_pass(4), cuda::cluster_strided_pass(4, 8, 10),
                                cuda::cluster_strided_pass(4, 9, 8)}) {
    auto data = test::random_values<std::int32_t>(1 << 18, 9, 3);
    auto expected = data;
    const TileGeometry geometry{pass.column_bits, pass.first};
    const int top = pass.strided ? pass.first + pass.tile_bits - pass.column_bits + 2 : 16;
    const int bottom = pass.strided ? pass.from - pass.column_bits + pass.first : 0;
    for (int stage = bottom; stage < top; ++stage) {
      for (std::size_t i = 0; i < expected.size(); ++i) {
        if ((i >> stage & 1) == 0) core::butterfly(expected[i], expected[i + (std::size_t{1} << stage)]);
      }
    }
    for (std::uint64_t group = 0; group < data.size() >> 16; ++group) {
      std::vector<Block> blocks(4, Block(ThreadOrder::downwards));
      std::vector<std::int32_t> unused(data.size());
      kernels::ValueSink<std::int32_t> nowhere{unused.data()};
      const StageRange stages{pass.from, pass.to};
      for (unsigned rank = 0; rank < 4; ++rank) {
        const kernels::ValueSource<std::int32_t> source{data.data()};
        blocks[rank].run(pass, kernels::peer_tile(geometry, group, rank), source, nowhere, data.size());
        const int last =
            pass.strided ? Block::Strided::last_window(geometry, stages) : Block::Contiguous::last_window();
        blocks[rank].phase([&](auto& t, unsigned i) { t.put(blocks[rank].shared.data(), i, last); });
      }
      const auto shared_of = [&](unsigned block) { return blocks[block].shared.data(); };
      for (unsigned rank = 0; rank < 4; ++rank) {
        blocks[rank].phase([&](auto& t, unsigned i) { Round::gather(t, shared_of, i, rank); });
      }
      kernels::ValueSink<std::int32_t> sink{data.data()};
      for (unsigned rank = 0; rank < 4; ++rank) {
        blocks[rank].phase([&](auto& t, unsigned i) { Round::store(t, sink, geometry, group, i, rank); });
      }
    }
    EXPECT_EQ(data, expected) << pass.strided << ", " << pass.first;
  }
}

TEST(Agent, ScaledSinkDividesAndReportsFractions) {
  std::uint32_t inexact = 0;
  std::int32_t whole = 0;
  const kernels::ScaledSink<std::int32_t> integers{&whole, 3, 0, &inexact};
  integers(0, -24);
  EXPECT_EQ(whole, -3);
  EXPECT_EQ(inexact, 0u);
  integers(0, 9);
  EXPECT_EQ(inexact, 1u);
  float real = 0;
  kernels::ScaledSink<float>{&real, 3, 0.125f, nullptr}(0, 9.0f);
  EXPECT_EQ(real, 1.125f);
}

// Forward, product and backward in one block: the convolution of one tile.
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
    block.phase([&](auto& t, unsigned i) { t.load(source, geometry, 0, i, Pass::first_window(), f.size()); });
    block.phase([&](auto& t, unsigned i) { Pass::forward<0>(t, block.shared.data(), i, stages); });
    block.phase([&](auto& t, unsigned i) { Pass::forward<1>(t, block.shared.data(), i, stages); });
    block.phase([&](auto& t, unsigned i) { Pass::forward<2>(t, block.shared.data(), i, stages); });
    block.phase([&](auto& t, unsigned i) { Pass::forward<3>(t, block.shared.data(), i, stages); });
    transformed[which] = block.threads;
  }
  for (std::size_t i = 0; i < block.threads.size(); ++i) {
    block.threads[i] = transformed[0][i];
    kernels::multiply_tiles(block.threads[i], transformed[1][i]);
  }
  block.phase([&](auto& t, unsigned i) { Pass::backward<0>(t, block.shared.data(), i, stages); });
  block.phase([&](auto& t, unsigned i) { Pass::backward<1>(t, block.shared.data(), i, stages); });
  block.phase([&](auto& t, unsigned i) { Pass::backward<2>(t, block.shared.data(), i, stages); });
  block.phase([&](auto& t, unsigned i) { Pass::backward<3>(t, block.shared.data(), i, stages); });
  std::vector<std::int64_t> result(f.size());
  kernels::ScaledSink<std::int64_t> sink{result.data(), 12, 0, nullptr};
  std::uint32_t inexact = 0;
  sink.inexact = &inexact;
  block.phase([&](auto& t, unsigned i) { t.store(sink, geometry, 0, i, Pass::first_window(), f.size()); });
  EXPECT_EQ(result, test::convolution_definition<std::int64_t>(f, g));
  EXPECT_EQ(inexact, 0u);
}

TEST(Agent, CharacterPhasesWriteTheTable) {
  const CharacterGroup group = CharacterGroup::parse("3^7");
  for (const RowOrder order : {RowOrder::kronecker, RowOrder::equation1}) {
    for (const TableTile tile : {TableTile{100, 3, 700, 800}, TableTile{0, 2, 0, 2187}}) {
      std::vector<std::uint8_t> expected(tile.rows * tile.columns);
      character_table(group, tile, std::span(expected), order);
      std::vector<std::uint8_t> out(expected.size(), 0xff);
      const std::vector<std::uint8_t> values{0, 1, 2};
      kernels::CharacterTable table{};
      table.out = out.data();
      table.modulus = group.modulus();
      table.factors = group.digits().factors;
      table.run_factor = 1;
      table.run_columns = 729;
      table.reversed = order == RowOrder::equation1;
      table.first_row = tile.first_row;
      table.rows = tile.rows;
      table.first_column = tile.first_column;
      table.columns = tile.columns;
      std::ranges::copy(group.digits().radix, table.radix);
      std::ranges::copy(group.digits().weight, table.weight);
      for (int k = 0; k < table.factors; ++k) {
        table.reciprocal[k] = static_cast<std::uint32_t>((std::uint64_t{1} << 32) / table.radix[k] + 1);
      }
      for (std::uint64_t row = 0; row < tile.rows; ++row) {
        const kernels::CharacterStretch stretch{row, 0, 3};
        kernels::CharacterShared shared;
        std::vector<std::uint16_t> exponents(729);
        std::vector<int> threads(64);
        run_phase(threads, ThreadOrder::downwards,
                  [&](int, unsigned i) { kernels::character_weights(table, row, i, shared); });
        run_phase(threads, ThreadOrder::downwards, [&](int, unsigned i) {
          kernels::character_run_exponents(table, stretch, i, 64, shared, exponents.data());
        });
        run_phase(threads, ThreadOrder::downwards, [&](int, unsigned i) {
          kernels::character_write(table, stretch, i, 64, shared, exponents.data(), values.data());
        });
      }
      EXPECT_EQ(out, expected);
    }
  }
}

}  // namespace
}  // namespace fugu::spectral
