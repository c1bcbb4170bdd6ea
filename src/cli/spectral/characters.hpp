// fugu spectral characters GROUP.
#pragma once

#include "cli/options.hpp"

namespace fugu::cli {

void run_characters(const Arguments& arguments);

}  // namespace fugu::cli
