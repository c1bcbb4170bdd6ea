// Reads secrets from descriptors, commands and the terminal directly into memory that is wiped.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "fugu/auth/secret.hpp"
#include "fugu/format/codec.hpp"

namespace fugu::cli {

inline constexpr std::size_t kMaxSecretBytes = format::kMaxPassphraseBytes;

// The bytes up to the first newline or the end, without the newline. Reads nothing beyond the newline, so
// that following data stays on the descriptor. Throws Error{io}, with `when_empty` at the end of the input.
auth::SecretBytes read_line(int descriptor, std::string_view when_empty = "ended before a line was read");

// Everything up to the end. Throws Error{io}.
auth::SecretBytes read_all(int descriptor);

// The standard output of `command`, run by /bin/sh. Throws Error{io} when it cannot be run or its status is
// not 0.
//
// If this program is in the terminal's foreground group, the command shares it and can ask there; otherwise
// it gets a process group of its own.
auth::SecretBytes output_of_command(const std::string& command);

// Async-signal-safe: asks the running command, if any, to end.
void end_command() noexcept;

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
