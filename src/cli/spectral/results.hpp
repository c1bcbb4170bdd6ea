// The results of fugu spectral operations.
#pragma once

#include "cli/lab/input.hpp"
#include "cli/lab/values.hpp"
#include "cli/lab/work.hpp"

namespace fugu::cli {

// Rows are kept by the shape of .npy, and as lines of bits and hex; text has one number per line. bits, hex
// and packed need values of 1 and -1, the polarity of a truth table. Throws Error{usage} for other values.
// `sage_order` reverses hexadecimal digits.
void write_values(const Values& values, const Shape& shape, ValueFormat format, bool sage_order,
                  stream::Sink& sink, threads::ThreadPool& pool);

// In the format of --to; by default that of the input, or text for truth tables.
void write_results(const SpectralRequest& request, const SpectralInput& input, const Values& values);

}  // namespace fugu::cli
