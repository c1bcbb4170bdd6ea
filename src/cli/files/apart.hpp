// Which files of one run must differ: an output is no other output of the run, none of its inputs, no file
// read beside one, not the list of them, and no file that holds its passphrase or key; and --rm removes no
// file that holds one.
#pragma once

#include <string>
#include <vector>

#include "cli/files/files.hpp"
#include "cli/options.hpp"

namespace fugu::cli {

// Throws Error{usage} naming two files that coincide, and Error{io} for one that cannot be looked at. Checks
// names, links and their current targets; a file created later is found when it is opened.
void require_apart(const Arguments& arguments, const std::vector<Task>& tasks);

// The same for outputs that all `inputs` go into, or that replace files.
void require_apart(const Arguments& arguments, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs);

}  // namespace fugu::cli
