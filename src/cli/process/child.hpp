// Runs the command that prints a passphrase.
#pragma once

#include <string>

#include "fugu/auth/secret.hpp"

namespace fugu::cli {

// The standard output of `command`, run by /bin/sh. Throws Error{io} when it cannot be run or its status is
// not 0.
//
// If this program is in the terminal's foreground group, the command shares it and can ask there; otherwise
// it gets a process group of its own.
auth::SecretBytes output_of_command(const std::string& command);

// Async-signal-safe: asks the running command, if any, to end.
void end_command() noexcept;

}  // namespace fugu::cli
