// Reading secrets from descriptors, straight into memory that is wiped.
#pragma once

#include <cstddef>

#include "fugu/auth/secret.hpp"

namespace fugu::cli {

inline constexpr std::size_t kMaxSecretBytes = 4096;

// The bytes up to the first newline or the end, without the newline. Reads no byte beyond the newline, so
// that what follows on the same descriptor stays there. Throws Error{io}, also when not even an empty line is
// there.
auth::SecretBytes read_line(int descriptor);

// Everything up to the end. Throws Error{io}.
auth::SecretBytes read_all(int descriptor);

}  // namespace fugu::cli
