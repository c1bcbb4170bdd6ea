// Sources of passphrases and keys, which are read from descriptors, commands and the terminal directly into
// memory that is wiped. An argument never holds a secret, only the name of its source.
#pragma once

#include "cli/options.hpp"
#include "fugu/auth/secret.hpp"
#include "fugu/format/codec.hpp"

namespace fugu::cli {

enum class SecretPlace : std::uint8_t { terminal, file, environment, descriptor, command };
enum class SecretSpelling : std::uint8_t { bytes, hex, base64 };

struct SecretSource {
  SecretPlace place = SecretPlace::terminal;
  std::string where;                                // file, variable, descriptor number or command
  SecretSpelling spelling = SecretSpelling::bytes;  // of keys only
};

// How places begin, and the terminal.
inline constexpr std::string_view kPassphrasePlaces[] = {"tty", "file:", "env:", "fd:", "cmd:"};
inline constexpr std::string_view kKeyPlaces[] = {
    "file:", "hex-file:", "base64-file:", "env:", "hex-env:", "base64-env:", "fd:"};

// The places, for messages and help.
inline constexpr std::string_view kPassphrasePlaceNames = "file:F, env:V, fd:N or cmd:C";
inline constexpr std::string_view kKeyPlaceNames =
    "file:F, hex-file:F, base64-file:F, env:V, hex-env:V, base64-env:V or fd:N";

// From --pass (default: the terminal) and --key, or the options given instead of them. Texts never repeat a
// value that does not start with a known source: it may be a secret given by mistake. A key on standard input
// is refused if the data is there too. Throws Error{usage}.
SecretSource passphrase_source(const Arguments& arguments, std::string_view option = "pass");
SecretSource key_source(const Arguments& arguments, std::string_view option = "key");

// The files named by the options for secrets.
std::vector<std::string> secret_files(const Arguments& arguments);

// The prompt on the terminal asks for `name`. With `confirm` it asks twice, and an empty answer generates a
// random passphrase, which the terminal shows. Throws Error{usage} or Error{io}.
auth::SecretBytes read_passphrase(const SecretSource& source, bool confirm,
                                  std::string_view name = "Passphrase");
auth::SecretBytes read_key(const SecretSource& source, std::size_t max_bytes);

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
