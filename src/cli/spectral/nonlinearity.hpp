// fugu spectral nonlinearity.
#pragma once

#include "cli/spectral/work.hpp"

namespace fugu::cli {

void run_nonlinearity(const SpectralRequest& request);

}  // namespace fugu::cli
