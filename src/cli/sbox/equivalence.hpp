// fugu sbox invariants and fugu sbox compare.
#pragma once

#include "cli/options.hpp"

namespace fugu::cli {

void run_invariants(const Arguments& arguments);

// Throws Error{mismatch} where the boxes are told apart.
void run_compare(const Arguments& arguments);

}  // namespace fugu::cli
