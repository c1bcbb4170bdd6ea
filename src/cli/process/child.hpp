// Running the command that prints a passphrase.
#pragma once

#include <string>

#include "fugu/auth/secret.hpp"

namespace fugu::cli {

// What `command`, run by /bin/sh, writes to its standard output. Throws Error{io} when it cannot be run or
// ends with anything but 0.
//
// The command shares the terminal's foreground group with this program if that is where this program is, so
// that it can ask there; otherwise it gets a process group of its own.
auth::SecretBytes output_of_command(const std::string& command);

// Async-signal-safe: asks the command that runs, if one does, to end.
void end_command() noexcept;

}  // namespace fugu::cli
