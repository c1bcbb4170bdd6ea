// The common part of the programs' main().
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace fugu::cli {

// Finds the subcommand of a command line and passes it to `run`, unless help or the version is requested.
// Returns the exit status. Throws Error{usage}, and what `run` throws.
int run_words(const std::vector<std::string>& words, const std::function<int(const Arguments&)>& run);

// Reports the current exception and returns the exit status. Call inside a catch block.
int report_current_failure();

// Prepares the process and runs `work`; turns exceptions into a message and an exit status.
int guarded_main(const std::function<int()>& work);

}  // namespace fugu::cli
