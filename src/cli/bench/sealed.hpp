// The sealed format in memory, and the cost of its keys.
#pragma once

#include <vector>

#include "cli/bench/plan.hpp"

namespace fugu::cli::bench {

// Throws Error{mismatch} when an output was wrong, Error{engine} when an engine failed.
std::vector<Row> measure_sealed(const Plan& plan);

}  // namespace fugu::cli::bench
