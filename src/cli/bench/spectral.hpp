// fugu bench --spectral: the Walsh transform of random 32-bit integers, on the CPU and on GPUs.
#pragma once

#include <vector>

#include "cli/bench/plan.hpp"

namespace fugu::cli::bench {

// Throws Error{mismatch} when a spectrum was wrong, Error{engine} when a GPU failed.
std::vector<Row> measure_spectral(const Plan& plan);

}  // namespace fugu::cli::bench
