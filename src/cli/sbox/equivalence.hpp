// fugu sbox invariants and fugu sbox compare.
#pragma once

#include "cli/options.hpp"

namespace fugu::cli {

void run_invariants(const Arguments& arguments);

// Returns the exit status: kSuccess for equal boxes, kUndecided for others. Throws Error{mismatch} if the
// boxes are shown to be inequivalent.
int run_compare(const Arguments& arguments);

}  // namespace fugu::cli
