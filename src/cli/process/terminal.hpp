// Asks on the terminal itself, whatever standard input and output are.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "fugu/auth/secret.hpp"

namespace fugu::cli {

// Whether there is a terminal.
bool has_terminal();

// Prompts on /dev/tty and reads one line without echo. Throws Error{usage} naming the alternatives if there
// is no terminal, Error{io} when reading fails or ends before a line. Ctrl-Z turns the echo on and stops the
// program; the prompt is repeated when it continues.
auth::SecretBytes ask_secret(std::string_view prompt);

// The same on an open terminal.
auth::SecretBytes ask_secret(std::string_view prompt, int terminal);

// Shows `text` there, unchanged. Throws as ask_secret() does.
void show_on_terminal(std::span<const std::byte> text);

// Async-signal-safe: if a prompt is open, goes to a new line and turns the echo back on. Returns whether one
// was.
bool restore_terminal() noexcept;

}  // namespace fugu::cli
