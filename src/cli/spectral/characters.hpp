// fugu spectral characters GROUP.
#pragma once

#include "cli/spectral/work.hpp"

namespace fugu::cli {

void run_characters(const SpectralRequest& request);

}  // namespace fugu::cli
