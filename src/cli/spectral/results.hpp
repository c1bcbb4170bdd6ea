// What the operations of fugu spectral write.
#pragma once

#include "cli/spectral/input.hpp"
#include "cli/spectral/values.hpp"
#include "cli/spectral/work.hpp"

namespace fugu::cli {

// Rows stay rows: of .npy by its shape, of bits and hex one per line; text is one number per line. bits, hex
// and packed are for values of 1 and -1, the polarity of a truth table. Throws Error{usage} for others.
// `sage_order`: hexadecimal digits are written back to front.
void write_values(const Values& values, const Shape& shape, ValueFormat format, bool sage_order,
                  stream::Sink& sink, threads::ThreadPool& pool);

// As --to says; by default as they came in, those of a truth table as text.
void write_results(const SpectralRequest& request, const SpectralInput& input, const Values& values);

}  // namespace fugu::cli
