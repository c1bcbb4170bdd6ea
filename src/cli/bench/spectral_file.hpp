// fugu bench --spectral --scope file: whole runs of `fugu spectral`, file to file.
#pragma once

#include <vector>

#include "cli/bench/plan.hpp"

namespace fugu::cli::bench {

// Throws Error{mismatch} when an output was wrong, Error{io} when the program could not be run or failed.
std::vector<Row> measure_spectral_files(const Plan& plan);

}  // namespace fugu::cli::bench
