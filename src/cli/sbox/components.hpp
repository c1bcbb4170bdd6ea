// fugu sbox components and fugu sbox anf.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/options.hpp"
#include "cli/sbox/report.hpp"
#include "fugu/spectral/sbox/exhaustive.hpp"

namespace fugu::cli {

// Prints the estimate, then all components of the box, with progress if requested.
spectral::ExhaustiveProfile run_exhaustive(const spectral::SBox& box, const Arguments& arguments);

void run_components(const Arguments& arguments);
void run_box_anf(const Arguments& arguments);

}  // namespace fugu::cli
