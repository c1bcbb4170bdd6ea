// fugu sbox report --random-keys: S-boxes of many keys beside random boxes.
#pragma once

#include "cli/options.hpp"

namespace fugu::cli {

// Keys of 16 bytes, two outputs of splitmix64 each, with the seed of --seed.
void run_key_statistics(const Arguments& arguments);

}  // namespace fugu::cli
