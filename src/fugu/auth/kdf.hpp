// Key derivation, from OpenSSL only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "fugu/auth/secret.hpp"

namespace fugu::auth {

// Digests are OpenSSL's names ("sha256", "md5", ...).
bool digest_exists(const std::string& digest);

// OpenSSL's EVP_BytesToKey with count 1: D1 = H(passphrase|salt), Di = H(D(i-1)|passphrase|salt), concatenated and cut
// to `bytes`. `salt` is empty or 8 bytes. Throws Error{usage} for an unknown digest.
SecretBytes bytes_to_key(const std::string& digest, const SecretBytes& passphrase, std::span<const std::byte> salt,
                         std::size_t bytes);

// PBKDF2-HMAC (RFC 8018, 5.2). Throws Error{usage} for an unknown digest or 0 iterations.
SecretBytes pbkdf2(const std::string& digest, const SecretBytes& passphrase, std::span<const std::byte> salt,
                   std::uint32_t iterations, std::size_t bytes);

}  // namespace fugu::auth
