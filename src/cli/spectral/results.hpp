// The results of the operations of fugu spectral.
#pragma once

#include "cli/spectral/input.hpp"
#include "cli/spectral/values.hpp"
#include "cli/spectral/work.hpp"

namespace fugu::cli {

// Rows stay rows: in .npy by its shape, in bits and hex one per line; text is one number per line. bits, hex
// and packed are for values of 1 and -1, the polarity of a truth table. Throws Error{usage} for others.
// `sage_order` reverses hexadecimal digits.
void write_values(const Values& values, const Shape& shape, ValueFormat format, bool sage_order,
                  stream::Sink& sink, threads::ThreadPool& pool);

// In the format of --to; by default that of the input, or text for truth tables.
void write_results(const SpectralRequest& request, const SpectralInput& input, const Values& values);

}  // namespace fugu::cli
