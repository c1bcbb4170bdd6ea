// What takes a secret from one process to another: key agreement and authenticated encryption, from OpenSSL.
// Thread-safe. Nothing here keeps a key longer than the call. Errors of OpenSSL itself are Error{engine}.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "fugu/auth/secret.hpp"
#include "fugu/export.hpp"

namespace fugu::auth {

inline constexpr std::size_t kX25519Bytes = 32;
inline constexpr std::size_t kAeadKeyBytes = 32;
inline constexpr std::size_t kAeadNonceBytes = 12;
inline constexpr std::size_t kAeadTagBytes = 16;

using X25519PublicKey = std::array<std::byte, kX25519Bytes>;
using AeadNonce = std::array<std::byte, kAeadNonceBytes>;

// Of a private key, which is kX25519Bytes random bytes, Error{usage} otherwise.
FUGU_EXPORT X25519PublicKey x25519_public_key(const SecretBytes& private_key);

// RFC 7748, 6.1: the same for both sides. Nothing for a public key of low order, with which everybody would
// know the result.
FUGU_EXPORT std::optional<SecretBytes> x25519(const SecretBytes& private_key, const X25519PublicKey& theirs);

// RFC 8439, 2.8. `out` is kAeadTagBytes longer than `plain`, for the tag at its end. A key goes with a nonce
// once, ever. Throws Error{usage} for other sizes.
FUGU_EXPORT void chacha20_poly1305_encrypt(const SecretBytes& key, const AeadNonce& nonce,
                                           std::span<const std::byte> associated_data,
                                           std::span<const std::byte> plain, std::span<std::byte> out);

// The other way: false, and `plain` zeroed, where the tag does not hold.
[[nodiscard]] FUGU_EXPORT bool chacha20_poly1305_decrypt(const SecretBytes& key, const AeadNonce& nonce,
                                                         std::span<const std::byte> associated_data,
                                                         std::span<const std::byte> in,
                                                         std::span<std::byte> plain);

}  // namespace fugu::auth
