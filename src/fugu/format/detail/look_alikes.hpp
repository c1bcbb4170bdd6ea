// Recipes of one key and IV that all look right: one ciphertext does so in several modes. Private to format.
// - Up to the first block that is not zero, cbc, cfb and ofb are the same, and where a block is zero in cbc,
// it
//   is zero in cfb as well. cfb, ofb and ctr have the first block in common.
// - In cbc, a pcbc file is the differences of its blocks, and where they repeat zero, as in cfb; in pcbc, a
// cbc
//   file is the running sum of its blocks, which repeats where they are zero. Of a binary file both look like
//   one, but neither looks like text.
// Therefore only blocks that differ count, beside pcbc none that is zero in one, and only text if both look
// right.
#pragma once

#include <span>
#include <vector>

#include "fugu/format/detail/recipe.hpp"

namespace fugu::format {

// Leaves any two of `all` as many bits apart as the blocks of `head`, the beginning of the ciphertext, the
// ends and the priors say. What a file that was cut or continued explains better becomes impossible.
void weigh_look_alikes(engine::Engine& engine, std::span<const std::byte> head, std::vector<Tried>& all);

}  // namespace fugu::format
