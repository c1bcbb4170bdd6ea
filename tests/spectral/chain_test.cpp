// Two passes in one launch: which block does what, and that no block waits for one of a larger number.
#include "kernels/walsh/chain_agent.hpp"

#include "support/testing.hpp"

namespace fugu::spectral {
namespace {

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
