// The sealed format in memory, beside what its keys cost.
#pragma once

#include <vector>

#include "cli/bench/plan.hpp"

namespace fugu::cli::bench {

// Throws Error{mismatch} when an output was wrong, Error{engine} when an engine failed.
std::vector<Row> measure_sealed(const Plan& plan);

}  // namespace fugu::cli::bench
