// fugu sbox invariants and fugu sbox compare.
#pragma once

#include "cli/options.hpp"

namespace fugu::cli {

void run_invariants(const Arguments& arguments);

// Throws Error{mismatch} if the boxes are shown to be inequivalent.
void run_compare(const Arguments& arguments);

}  // namespace fugu::cli
