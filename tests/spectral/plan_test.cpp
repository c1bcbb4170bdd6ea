// The passes of the GPU's transforms.
#include "fugu/spectral/cuda/detail/walsh_plan.hpp"
#include "kernels/walsh/chain_agent.hpp"
#include "support/testing.hpp"

namespace fugu::spectral {
namespace {

using cuda::Chip;
using kernels::WalshPass;

constexpr std::size_t kKiB = 1024, kMiB = 1024 * 1024;
constexpr Chip kH200{227 * kKiB, 60 * kMiB};
constexpr Chip kChips[] = {kH200, {99 * kKiB, 72 * kMiB}, {64 * kKiB, 4 * kMiB}, {48 * kKiB, 1 * kMiB}};

std::multiset<int> stages_of(const WalshPass& pass) {
  std::multiset<int> stages;
  for (int bit = pass.from; bit < pass.to; ++bit)
    stages.insert(pass.strided ? bit - pass.column_bits + pass.first : bit);
  return stages;
}

void expect_possible(const WalshPass& pass, int registers, int log2_size, std::size_t element,
                     const Chip& chip) {
  EXPECT_LE(kernels::tile_shared_bytes(pass.tile_bits, element), chip.shared_bytes);
  if (!pass.strided) return;
  EXPECT_GE(pass.first, pass.column_bits);
  EXPECT_GE(pass.from, pass.column_bits);
  EXPECT_GE(std::size_t{1} << pass.column_bits, 32 / element) << "shorter than a sector";
  EXPECT_LE(pass.tile_bits - pass.column_bits, 2 * registers);
  EXPECT_GE(pass.tile_bits - pass.column_bits, registers);
  EXPECT_LE(pass.first + pass.tile_bits - pass.column_bits, log2_size);
}

// A chunk is the part of the first pass that a tile of the second needs.
void expect_chain(const cuda::WalshPlan& plan, std::uint64_t values, std::size_t element) {
  const WalshPass& first = plan.passes.at(0);
  const WalshPass& second = plan.passes.at(1);
  const int tile = kernels::chain_tile_bits(element);
  const int chunk_bits = second.first + second.tile_bits - second.column_bits;
  EXPECT_EQ(first.tile_bits, tile);
  EXPECT_EQ(second.tile_bits, tile);
  EXPECT_EQ(plan.chain->chunks, values >> chunk_bits);
  EXPECT_EQ(plan.chain->tiles_per_chunk, 1u << (chunk_bits - tile));
  EXPECT_GE(plan.chain->lead_tiles, plan.chain->tiles_per_chunk);
  EXPECT_LE(plan.chain->lead_tiles, plan.chain->chunks * plan.chain->tiles_per_chunk);
}

std::multiset<int> stages_of(const std::vector<WalshPass>& passes) {
  std::multiset<int> done;
  for (const WalshPass& pass : passes) done.merge(stages_of(pass));
  return done;
}

void expect_every_stage(const std::multiset<int>& done, int log2_size, int first = 0) {
  std::multiset<int> every;
  for (int stage = first; stage < log2_size; ++stage) every.insert(stage);
  EXPECT_EQ(done, every);
}

// Calls one(n, element, chip) for all n, sizes of elements and chips.
template <class One>
void for_every_plan(int first, int last, One one) {
  for (const std::size_t element : {4u, 8u}) {
    for (const Chip& chip : kChips) {
      for (int n = first; n <= last; ++n) {
        SCOPED_TRACE(testing::Message()
                     << "n " << n << ", " << element << " bytes, shared " << chip.shared_bytes);
        one(n, element, chip);
      }
    }
  }
}

TEST(WalshPlan, EveryStageIsDoneOnceInPassesThatTilesAllow) {
  for_every_plan(0, 36, [](int n, std::size_t element, const Chip& chip) {
    const auto plan = cuda::plan_walsh(n, std::uint64_t{1} << n, element, chip);
    for (const WalshPass& pass : plan.passes)
      expect_possible(pass, kernels::register_bits_of(pass.tile_bits), n, element, chip);
    expect_every_stage(stages_of(plan.passes), n);
    if (plan.chain) {
      expect_chain(plan, std::uint64_t{1} << n, element);
    }
  });
}

TEST(WalshPlan, RowsBeginWithAContiguousPassThatMayReadElsewhere) {
  for_every_plan(14, 28, [](int n, std::size_t element, const Chip& chip) {
    const auto plan = cuda::plan_rows(n, std::uint64_t{1} << n, element, chip);
    EXPECT_FALSE(plan.once || plan.chain || plan.passes[0].strided);
    EXPECT_LT(plan.passes[0].tile_bits, kernels::ring_tile_bits(element));
    expect_every_stage(stages_of(plan.passes), n);
  });
}

TEST(WalshPlan, StagesAreDoneOnceAndByRingsWhereTheseTakeThem) {
  for_every_plan(1, 20, [](int stages, std::size_t element, const Chip& chip) {
    const auto passes = cuda::plan_stages(14, stages, element, chip);
    expect_every_stage(stages_of(passes), 14 + stages, 14);
    const bool ring = passes[0].tile_bits == kernels::ring_tile_bits(element);
    EXPECT_EQ(ring,
              chip.shared_bytes == kH200.shared_bytes && (stages == 10 || (stages == 11 && element == 4)));
  });
}

// Returns the number of passes over memory, where a chain of two counts as one.
std::size_t over_memory(const cuda::WalshPlan& plan) {
  return plan.passes.size() - (plan.chain ? 1 : 0);
}

TEST(WalshPlan, PassesOverMemoryAreAsFewAsTheChipAllows) {
  const auto passes = [](int n, std::size_t element) {
    return over_memory(cuda::plan_walsh(n, std::uint64_t{1} << n, element, kH200));
  };
  for (int n = 0; n <= 14; ++n) EXPECT_EQ(passes(n, 4), 1u) << n;
  for (int n = 15; n <= 32; ++n) EXPECT_EQ(passes(n, 4), 2u) << n;
  for (int n = 33; n <= 34; ++n) EXPECT_EQ(passes(n, 4), 3u) << n;
  for (int n = 14; n <= 30; ++n) EXPECT_EQ(passes(n, 8), 2u) << n;
  for (int n = 31; n <= 33; ++n) EXPECT_EQ(passes(n, 8), 3u) << n;
}

// A row on one multiprocessor, where there are enough rows.
TEST(WalshPlan, BatchesOfRowsThatFitARingTakeOnePass) {
  Chip chip = kH200;
  chip.multiprocessors = 132;
  for (const int n : {14, 15}) {
    const std::size_t element = n == 14 ? 8 : 4;
    const auto passes = [&](std::uint64_t rows) {
      return cuda::plan_walsh(n, rows << n, element, chip).passes.size();
    };
    EXPECT_EQ(passes(131), 2u);
    EXPECT_EQ(passes(132), 1u);
  }
}

TEST(WalshPlan, RingsTakeTheRowsThatTwoPassesOfSmallerTilesDoNot) {
  const auto rings = [](int n, std::size_t element, const Chip& chip, bool aligned) {
    const auto plan = cuda::plan_walsh(n, std::uint64_t{1} << n, element, chip, aligned);
    return std::ranges::all_of(plan.passes, [&](const WalshPass& pass) {
      return pass.tile_bits == kernels::ring_tile_bits(element) && plan.passes.size() == 2;
    });
  };
  for (int n = 16; n <= 34; ++n) {
    EXPECT_EQ(rings(n, 4, kH200, true), n == 25 || n == 26) << n;
    EXPECT_EQ(rings(n, 8, kH200, true), n == 24) << n;
    EXPECT_FALSE(rings(n, 4, kH200, false)) << n;
    EXPECT_FALSE(rings(n, 4, kChips[1], true)) << n;
  }
}

TEST(WalshPlan, RingsFollowChains) {
  const auto passes = [](int n, std::size_t element, const Chip& chip) {
    std::vector<int> tiles;
    for (const WalshPass& pass : cuda::plan_walsh(n, std::uint64_t{1} << n, element, chip).passes)
      tiles.push_back(pass.tile_bits);
    return tiles;
  };
  using testing::ElementsAre;
  EXPECT_THAT(passes(27, 4, kH200), ElementsAre(13, 13, 14));
  EXPECT_THAT(passes(28, 4, kH200), ElementsAre(13, 13, 14));
  EXPECT_THAT(passes(32, 4, kH200), ElementsAre(13, 13, 15));
  EXPECT_THAT(passes(30, 8, kH200), ElementsAre(12, 12, 14));
}

// 2^24 values of 4 bytes take 64 MiB, and the cache has 60: of the first pass's 1024 tiles of 64 KiB, 15 MiB
// stay in it.
TEST(WalshPlan, WhatTheCacheCannotHoldLeavesItFirst) {
  const auto plan = [](int n) { return cuda::plan_walsh(n, std::uint64_t{1} << n, 4, kH200); };
  EXPECT_EQ(plan(24).passes[0].leaving, 1024u - 240u);
  EXPECT_EQ(plan(24).passes[1].leaving, 1024u);
  for (const int n : {14, 20, 23, 25, 26, 30}) {
    for (const WalshPass& pass : plan(n).passes) EXPECT_EQ(pass.leaving, 0u) << n;
  }
}

// A T4 has 40 multiprocessors with 64 KB, a GTX 1650 has 14. 2^18 values take 128 blocks, 2^20 take 256. Not
// all of them run at the same time there, so a barrier of all blocks would be refused.
TEST(WalshPlan, OneLaunchOnlyWhereAllOfItsBlocksFit) {
  const auto largest = [](int multiprocessors, int blocks) {
    int n = -1;
    while (cuda::plan_walsh(n + 1, std::uint64_t{1} << (n + 1), 4,
                            {64 * kKiB, 4 * kMiB, multiprocessors, blocks})
               .once)
      ++n;
    return n;
  };
  EXPECT_EQ(largest(132, 1), 19);
  EXPECT_EQ(largest(132, 2), 20);
  EXPECT_EQ(largest(132, 8), 20);
  EXPECT_EQ(largest(40, 3), 17);
  EXPECT_EQ(largest(40, 7), 20);
  EXPECT_EQ(largest(14, 3), 16);
  EXPECT_EQ(largest(14, 7), 17);
  EXPECT_EQ(largest(1, 1), 11);
}

TEST(WalshPlan, OneLaunchTakesOneRow) {
  const Chip chip{227 * kKiB, 60 * kMiB, 132, 8};
  EXPECT_TRUE(cuda::plan_walsh(10, 1 << 10, 4, chip).once);
  const auto two_rows = cuda::plan_walsh(10, 1 << 11, 4, chip);
  EXPECT_FALSE(two_rows.once);
  EXPECT_EQ(two_rows.passes.size(), 1u);
}

// Plans of several launches have every stage once, as on the chips above.
TEST(WalshPlan, SmallChipsDoEveryStageOnce) {
  for (const int multiprocessors : {14, 40, 132}) {
    const Chip chip{64 * kKiB, 4 * kMiB, multiprocessors, 1};
    for (int n = 0; n <= 20; ++n) {
      SCOPED_TRACE(testing::Message() << "n " << n << ", multiprocessors " << multiprocessors);
      const auto plan = cuda::plan_walsh(n, std::uint64_t{1} << n, 8, chip);
      EXPECT_EQ(plan.once, plan.passes.empty());
      if (!plan.once) expect_every_stage(stages_of(plan.passes), n);
    }
  }
}

TEST(WalshPlan, ConvolutionsDoEveryStageOnce) {
  for_every_plan(0, 34, [](int n, std::size_t element, const Chip& chip) {
    const auto plan = cuda::plan_convolution(n, element, chip);
    expect_possible(plan.middle, kernels::kConvolveRegisterBits, n, element, chip);
    EXPECT_EQ(plan.middle.tile_bits, kernels::kConvolveTileBits);
    if (plan.forward.chain) expect_chain(plan.forward, std::uint64_t{1} << n, element);
    for (const WalshPass& pass : plan.forward.passes)
      expect_possible(pass, kernels::register_bits_of(pass.tile_bits), n, element, chip);
    std::multiset<int> done = stages_of(plan.forward.passes);
    done.merge(stages_of(plan.middle));
    expect_every_stage(done, n);
  });
  for (int n = 13; n <= 29; ++n) EXPECT_EQ(over_memory(cuda::plan_convolution(n, 4, kH200).forward), 1u) << n;
}

TEST(WalshPlan, MoebiusTransformsDoEveryStageOfWordsOnce) {
  for (int n = 0; n <= 30; ++n) {
    SCOPED_TRACE(n);
    for (const WalshPass& pass : cuda::plan_moebius(n)) {
      expect_possible(pass, 5, std::max(n - 5, 0), 4, kH200);
      EXPECT_EQ(pass.tile_bits, kernels::kTileBits);
    }
    expect_every_stage(stages_of(cuda::plan_moebius(n)), std::max(n - 5, 0));
  }
}

TEST(WalshPlan, BooleanSpectraDoEveryStageOnce) {
  for (int n = 15; n <= 30; ++n) {
    SCOPED_TRACE(n);
    for (const WalshPass& pass : cuda::plan_boolean(n)) expect_possible(pass, 5, n, 4, kH200);
    expect_every_stage(stages_of(cuda::plan_boolean(n)), n);
    EXPECT_LE(cuda::plan_boolean(n).size(), n <= 24 ? 2u : 3u);
  }
}

// --- which block does what where one launch has two passes

using kernels::ChainShape;
using kernels::ChainStep;

constexpr ChainShape kShapes[] = {{1, 1, 1}, {1, 64, 64}, {8, 4, 4}, {8, 4, 13}, {5, 16, 80}, {7, 2, 3}};

TEST(Chain, BlocksDoEveryTileOfBothPassesOnce) {
  for (const ChainShape& shape : kShapes) {
    const auto tiles = static_cast<std::size_t>(shape.chunks * shape.tiles_per_chunk);
    std::vector<int> first(tiles), second(tiles);
    ASSERT_EQ(kernels::chain_blocks(shape), 2 * tiles);
    for (std::uint64_t block = 0; block < 2 * tiles; ++block) {
      const ChainStep step = kernels::chain_step(shape, block);
      ++(step.second ? second : first).at(static_cast<std::size_t>(step.tile));
    }
    EXPECT_EQ(first, std::vector<int>(tiles, 1));
    EXPECT_EQ(second, std::vector<int>(tiles, 1));
  }
}

// Runs the blocks one at a time in the order of their numbers. Each finds finished what it waits for, so
// blocks that wait never prevent those from running that they wait for. The second pass reads whole chunks
// only.
TEST(Chain, BlocksWaitForSmallerNumbersOnly) {
  for (const ChainShape& shape : kShapes) {
    std::vector<std::uint32_t> done(static_cast<std::size_t>(shape.chunks));
    for (std::uint64_t block = 0; block < kernels::chain_blocks(shape); ++block) {
      const ChainStep step = kernels::chain_step(shape, block);
      const auto chunk = static_cast<std::size_t>(kernels::chain_chunk(shape, step));
      EXPECT_EQ(chunk, step.tile / shape.tiles_per_chunk);
      if (step.second) {
        EXPECT_EQ(done.at(chunk), shape.tiles_per_chunk) << block;
      } else {
        ++done.at(chunk);
      }
    }
  }
}

}  // namespace
}  // namespace fugu::spectral
