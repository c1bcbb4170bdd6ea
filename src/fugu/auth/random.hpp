// Random bytes for salts, IVs and keys.
#pragma once

#include <cstddef>
#include <span>

#include "fugu/auth/secret.hpp"
#include "fugu/export.hpp"

namespace fugu::auth {

// Random bytes that may become public, from OpenSSL's generator: salts and IVs. Throws Error{io} when the
// system has no randomness.
FUGU_EXPORT void random_bytes(std::span<std::byte> out);

// Random bytes that stay secret, from a generator of OpenSSL's whose output is never published, XOR the
// kernel's getrandom(). Throws as above.
FUGU_EXPORT SecretBytes random_secret(std::size_t bytes);

}  // namespace fugu::auth
