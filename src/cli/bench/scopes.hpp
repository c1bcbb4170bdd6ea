// The scopes of `fugu bench`: each hands its rows to the sampler. They throw Error{mismatch} for a wrong
// output, Error{engine} for an impossible time or a failing engine, Error{io} for files.
#pragma once

#include <vector>

#include "cli/bench/plan.hpp"
#include "measure/trial.hpp"

namespace fugu::cli::bench {

// The kernel, copy and file scopes. Returns the rows of the link to the first GPU among the engines, which
// are among the sampler's for the copy scope only.
std::vector<Row> measure_ciphers(const Plan& plan, Sampler& sampler);

// --sealed: the sealed format in memory, and the cost of its keys.
void measure_sealed(const Plan& plan, Sampler& sampler);

// --spectral: the Walsh transform of random 32-bit integers, on the CPU and on GPUs.
void measure_spectral(const Plan& plan, Sampler& sampler);

}  // namespace fugu::cli::bench
