// Where a passphrase or key comes from. A secret is never an argument's value: only the name of its place is.
#pragma once

#include <cstdint>
#include <string>

#include "fugu/auth/secret.hpp"
#include "options.hpp"

namespace fugu::cli {

enum class SecretPlace : std::uint8_t { terminal, file, hex_file, environment, descriptor, command };

struct SecretSource {
  SecretPlace place = SecretPlace::terminal;
  std::string where;  // file, variable, descriptor number or command
};

// From --pass (the terminal when not given) and --key. Texts never repeat a value that does not start with a
// known place: it may be a secret given by mistake. Throws Error{usage}.
SecretSource passphrase_source(const Arguments& arguments);
SecretSource key_source(const Arguments& arguments);

// On the terminal it is asked for twice when `confirm` is set. Throws Error{usage} or Error{io}.
auth::SecretBytes read_passphrase(const SecretSource& source, bool confirm);
auth::SecretBytes read_key(const SecretSource& source);

}  // namespace fugu::cli
