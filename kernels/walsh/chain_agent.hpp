// Two passes in one launch, the second following the first so closely that it finds its input in L2: the
// assignment of blocks, and the condition for which each waits.
//
// The row is cut into chunks, each of which the second pass needs whole. The first pass leads by
// `lead_tiles`; after that its tiles and those of the second alternate. A block waits only for blocks of
// smaller numbers. The hardware starts blocks in the order of their numbers, so those already run and there
// is no deadlock; CUB's single-pass scan relies on the same.
#pragma once

#include <cstdint>

#include "fugu/core/hd.hpp"
#include "kernels/spectral_launch.hpp"

namespace fugu::kernels {

struct ChainStep {
  bool second;
  std::uint64_t tile;
};

FUGU_HD std::uint64_t chain_blocks(const ChainShape& shape) {
  return 2 * shape.chunks * shape.tiles_per_chunk;
}

FUGU_HD ChainStep chain_step(const ChainShape& shape, std::uint64_t block) {
  const std::uint64_t lead = shape.lead_tiles;
  const std::uint64_t turns = shape.chunks * shape.tiles_per_chunk - lead;
  if (block < lead) return {false, block};
  const std::uint64_t after = block - lead;
  if (after >= 2 * turns) return {true, after - turns};
  return after % 2 == 0 ? ChainStep{false, lead + after / 2} : ChainStep{true, after / 2};
}

// The chunk that a step adds to, or waits for until all tiles_per_chunk have been added.
FUGU_HD std::uint64_t chain_chunk(const ChainShape& shape, const ChainStep& step) {
  return step.tile / shape.tiles_per_chunk;
}

}  // namespace fugu::kernels
