// Which files of one run may meet: an output is no other output of the run, none of its inputs, no file that is
// read beside one, not the list of them, and no file that holds its passphrase or key; and --rm removes no
// file that holds one.
#pragma once

#include <string>
#include <vector>

#include "cli/cipher/files.hpp"
#include "cli/options.hpp"

namespace fugu::cli {

// Throws Error{usage} naming two files that meet. Looks at names, links and what they stand for by now; a
// file that is put there later is found where it is opened.
void require_apart(const Arguments& arguments, const std::vector<Task>& tasks);

// The same for outputs that all `inputs` go into, or that replace files.
void require_apart(const Arguments& arguments, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs);

}  // namespace fugu::cli
