// Asking on the terminal itself, whatever standard input and output are.
#pragma once

#include <string_view>

#include "fugu/auth/secret.hpp"

namespace fugu::cli {

// Prompts on /dev/tty and reads one line without echo. Throws Error{usage} naming the other ways when there
// is no terminal, Error{io} when reading fails or ends before a line.
auth::SecretBytes ask_secret(std::string_view prompt);

// Async-signal-safe: turns the echo back on if a prompt had turned it off.
void restore_terminal() noexcept;

}  // namespace fugu::cli
