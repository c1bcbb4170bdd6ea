// Reads secrets from descriptors directly into memory that is wiped.
#pragma once

#include <cstddef>

#include "fugu/auth/secret.hpp"
#include "fugu/format/codec.hpp"

namespace fugu::cli {

inline constexpr std::size_t kMaxSecretBytes = format::kMaxPassphraseBytes;

// The bytes up to the first newline or the end, without the newline. Reads nothing beyond the newline, so
// that following data stays on the descriptor. Throws Error{io}, also at the end of the input.
auth::SecretBytes read_line(int descriptor);

// Everything up to the end. Throws Error{io}.
auth::SecretBytes read_all(int descriptor);

}  // namespace fugu::cli
