// What the programs' main() have in common.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace fugu::cli {

// Finds the subcommand of a command line and hands it to `run`, unless help or the version is asked for.
// Returns the exit status. Throws Error{usage}, and what `run` throws.
int run_words(const std::vector<std::string>& words, const std::function<int(const Arguments&)>& run);

// Puts the process in order and runs `work`; what it throws becomes a message and an exit status.
int guarded_main(const std::function<int()>& work);

}  // namespace fugu::cli
