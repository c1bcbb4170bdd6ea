// Running the command that prints a passphrase.
#pragma once

#include <string>

#include "fugu/auth/secret.hpp"

namespace fugu::cli {

// What `command`, run by /bin/sh, writes to its standard output. Throws Error{io} when it cannot be run or
// ends with anything but 0.
auth::SecretBytes output_of_command(const std::string& command);

}  // namespace fugu::cli
