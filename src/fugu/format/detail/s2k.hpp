// OpenPGP's string-to-key (RFC 9580, 3.7.1), also used by mcrypt(1), and a digest chain that several formats
// share. Private to format.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "fugu/auth/secret.hpp"

namespace fugu::format {

// Round j hashes j zero bytes, then salt and passphrase repeated to `count` bytes, at least once. The
// concatenated digests are cut to `key_bytes`. Throws Error{usage} for an unknown digest.
auth::SecretBytes s2k(const std::string& digest, const auth::SecretBytes& passphrase,
                      std::span<const std::byte> salt, std::uint64_t count, std::size_t key_bytes);

// SHA-1 of salt and passphrase, then of these and all digests so far, cut to `key_bytes`.
auth::SecretBytes sha1_chain(const auth::SecretBytes& passphrase, std::span<const std::byte> salt,
                             std::size_t key_bytes);

}  // namespace fugu::format
