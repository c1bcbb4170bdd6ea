// The common part of the operations of fugu spectral: where to compute, and where the result goes.
#pragma once

#include <functional>
#include <optional>

#include "cli/cipher/output.hpp"
#include "cli/options.hpp"

namespace fugu::cli {

// Where to compute. `device` is set for a GPU; `algorithm` for one of the paper's, 0 to 6.
struct SpectralEngine {
  std::optional<int> device;
  std::optional<int> algorithm;
  bool automatic = false;  // no engine was asked for: an operation may take a GPU where that is faster
};

// Throws Error{usage} for what is no engine or does not fit the algorithm.
SpectralEngine spectral_engine(const Arguments& arguments);

// Opens -o, or standard output, lets `write` fill it, and gives it its name.
void write_output(const Arguments& arguments, bool binary, std::optional<stream::FileId> input,
                  const std::function<void(stream::Sink&)>& write);

}  // namespace fugu::cli
