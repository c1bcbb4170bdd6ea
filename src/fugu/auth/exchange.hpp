// Key agreement and authenticated encryption, from OpenSSL, to hand a secret from one process to another.
// Thread-safe. Nothing here keeps a key longer than the call. Throws Error{engine} when OpenSSL itself fails.
#pragma once

#include <array>
#include <optional>

#include "fugu/auth/secret.hpp"

namespace fugu::auth {

inline constexpr std::size_t kX25519Bytes = 32;
inline constexpr std::size_t kAeadKeyBytes = 32;
inline constexpr std::size_t kAeadNonceBytes = 12;
inline constexpr std::size_t kAeadTagBytes = 16;

using X25519PublicKey = std::array<std::byte, kX25519Bytes>;
using AeadNonce = std::array<std::byte, kAeadNonceBytes>;

// Returns the public key of a private key: kX25519Bytes random bytes. Throws Error{usage} for any other size.
FUGU_EXPORT X25519PublicKey x25519_public_key(const SecretBytes& private_key);

// The shared secret (RFC 7748, 6.1), the same on both sides. Empty for a public key of low order, which would
// make the secret known to everybody.
FUGU_EXPORT std::optional<SecretBytes> x25519(const SecretBytes& private_key, const X25519PublicKey& theirs);

// ChaCha20-Poly1305 (RFC 8439, 2.8). `out` is kAeadTagBytes longer than `plain` and ends in the tag. A (key,
// nonce) pair encrypts one message only. Throws Error{usage} for other sizes.
FUGU_EXPORT void chacha20_poly1305_encrypt(const SecretBytes& key, const AeadNonce& nonce,
                                           std::span<const std::byte> associated_data,
                                           std::span<const std::byte> plain, std::span<std::byte> out);

// The inverse. Returns false and zeroes `plain` when the tag does not match.
[[nodiscard]] FUGU_EXPORT bool chacha20_poly1305_decrypt(const SecretBytes& key, const AeadNonce& nonce,
                                                         std::span<const std::byte> associated_data,
                                                         std::span<const std::byte> in,
                                                         std::span<std::byte> plain);

}  // namespace fugu::auth
