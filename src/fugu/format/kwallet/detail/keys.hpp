// The keys of a wallet. Private to kwallet.
#pragma once

#include <span>

#include "fugu/auth/secret.hpp"
#include "fugu/core/block.hpp"

namespace fugu::format {

// Minor version 0: 2000 rounds of SHA-1, with its words loaded and stored as `words` says, over each of up to
// four pieces of the passphrase. 20, 40 or 56 bytes.
auth::SecretBytes hashed_wallet_key(const auth::SecretBytes& passphrase, core::ByteOrder words);

// Minor version 1.
auth::SecretBytes derived_wallet_key(const auth::SecretBytes& passphrase, std::span<const std::byte> salt);

}  // namespace fugu::format
