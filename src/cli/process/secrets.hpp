// Sources of passphrases and keys. An argument never holds a secret, only the name of its source.
#pragma once

#include "cli/options.hpp"
#include "fugu/auth/secret.hpp"

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

}  // namespace fugu::cli
