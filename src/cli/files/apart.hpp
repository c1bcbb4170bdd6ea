// Which files of one run must differ: an output must not be another output of the run, an input, a file read
// beside an input, the list of inputs, or a file that an option names, such as that of the passphrase or key;
// and --rm must not remove such a file.
#pragma once

#include <string>
#include <vector>

#include "cli/files/files.hpp"

namespace fugu::cli {

// Throws Error{usage} naming two files that coincide, and Error{io} for one that cannot be examined. Checks
// names, links and their current targets; a file created later is found when it is opened.
void require_apart(const FilesRequest& request, const std::vector<Task>& tasks);

// The same for outputs that all `inputs` go into, or that replace files.
void require_apart(const std::vector<std::string>& secret_files, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs);

}  // namespace fugu::cli
