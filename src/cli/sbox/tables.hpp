// fugu sbox table and fugu sbox spectrum.
#pragma once

#include "cli/options.hpp"

namespace fugu::cli {

void run_table(const Arguments& arguments);
void run_spectrum(const Arguments& arguments);

}  // namespace fugu::cli
