// Reads secrets from descriptors directly into memory that is wiped.
#pragma once

#include <cstddef>
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

}  // namespace fugu::cli
