// The keys of a wallet. Private to kwallet.
#pragma once

#include <span>

#include "fugu/auth/secret.hpp"
#include "fugu/core/block.hpp"

namespace fugu::format {

// Minor version 0: 2000 rounds of SHA-1 over each of up to four pieces of the passphrase; `words` is SHA-1's
// word order. Returns 20, 40 or 56 bytes.
auth::SecretBytes hashed_wallet_key(const auth::SecretBytes& passphrase, core::ByteOrder words);

// Minor version 1: PBKDF2.
auth::SecretBytes derived_wallet_key(const auth::SecretBytes& passphrase, std::span<const std::byte> salt);

}  // namespace fugu::format
