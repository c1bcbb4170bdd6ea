// Places of passphrases and keys. A secret is never an argument's value: only the name of its place is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "fugu/auth/secret.hpp"

namespace fugu::cli {

enum class SecretPlace : std::uint8_t { terminal, file, hex_file, environment, descriptor, command };

struct SecretSource {
  SecretPlace place = SecretPlace::terminal;
  std::string where;  // file, variable, descriptor number or command
};

// From --pass (the terminal when not given) and --key, or the options named instead of them. Texts never
// repeat a value that does not start with a known place: it may be a secret given by mistake. A key on
// standard input is refused where the data are there too. Throws Error{usage}.
SecretSource passphrase_source(const Arguments& arguments, std::string_view option = "pass");
SecretSource key_source(const Arguments& arguments, std::string_view option = "key");

// The files that the options for secrets name.
std::vector<std::string> secret_files(const Arguments& arguments);

// On the terminal it is asked for as `name`. With `confirm` it is asked for twice, and an empty answer makes
// a random passphrase, which the terminal shows. Throws Error{usage} or Error{io}.
auth::SecretBytes read_passphrase(const SecretSource& source, bool confirm,
                                  std::string_view name = "Passphrase");
auth::SecretBytes read_key(const SecretSource& source, std::size_t max_bytes);

}  // namespace fugu::cli
