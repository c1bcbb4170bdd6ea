// Databases of Password Safe 1 and 2 (docs/formatV1.txt and formatV2.txt of pwsafe/pwsafe).
//
//   RND 8 | H(RND) 20 | salt 20 | iv 8 | CBC ciphertext under the key SHA-1(passphrase | salt)
//
// The cipher's words are little-endian. H(RND) proves the passphrase. The plaintext is a sequence of fields:
// a block of { length, u32 little-endian | type | 3 random bytes }, then the field's bytes in one block or
// more. There is no magic, so such files cannot be recognised.
#pragma once

#include "fugu/format/codec.hpp"

namespace fugu::format {

extern const Codec kPwsafeCodec;

}  // namespace fugu::format
