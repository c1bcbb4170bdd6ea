// OpenPGP's string-to-key (RFC 9580, 3.7.1), which mcrypt(1) uses as well. Private to format.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "fugu/auth/secret.hpp"

namespace fugu::format {

// Round j hashes j zero bytes, then salt and passphrase over and over, `count` bytes in all and once at
// least. The digests together are cut to `key_bytes`. Throws Error{usage} for an unknown digest.
auth::SecretBytes s2k(const std::string& digest, const auth::SecretBytes& passphrase,
                      std::span<const std::byte> salt, std::uint64_t count, std::size_t key_bytes);

}  // namespace fugu::format
