// fugu sbox report --random-keys: S-boxes of many keys compared with random boxes.
#pragma once

#include "cli/options.hpp"

namespace fugu::cli {

// The keys and boxes of cipher::random_key() from --seed on.
void run_key_statistics(const Arguments& arguments);

}  // namespace fugu::cli
