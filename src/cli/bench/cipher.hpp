// The kernel, copy and file scopes: the engines to run on each case, and the resulting rows.
#pragma once

#include <vector>

#include "cli/bench/plan.hpp"

namespace fugu::cli::bench {

struct Measured {
  std::vector<Row> rows;
  std::vector<Row> link;  // of the first GPU among the engines; empty without one
};

// Throws Error{mismatch} when an output was wrong, Error{engine} when an engine failed or a time is
// impossible.
Measured measure_ciphers(const Plan& plan);

}  // namespace fugu::cli::bench
