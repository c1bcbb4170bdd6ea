// What fugu-open needs of a system besides files: its arguments, and a person to talk to. All text is UTF-8.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fugu/auth/secret.hpp"

namespace fugu::cli {

// The program, called with the names on its command line. Returns the exit status.
int open_files(const std::vector<std::string>& names);

void show(std::string_view text) noexcept;        // on standard output
void show_error(std::string_view text) noexcept;  // on standard error

// Whether standard input is a person at a terminal.
bool is_interactive() noexcept;

// A line of standard input without its end; a terminal shows the prompt and does not echo. Throws
// Error{usage} when the input has ended.
auth::SecretBytes ask_passphrase(std::string_view prompt);

}  // namespace fugu::cli
