// The wallets of KDE 3 to KDE Frameworks 6.
//
//   "KWALLET\n\r\0\r\n" | major 0 | minor 0 or 1 | cipher | hash | folders, u32 | for each folder: MD5 of its
//   name 16, entries, u32, for each: MD5 of its name 16 | ciphertext
//
// All big-endian. The plaintext is 8 random bytes, the payload's size as u32, the payload, random fill, and
// the payload's digest in the last 20 bytes, which proves the passphrase. The ciphers are Blowfish in ECB (0)
// or CBC (3), with little-endian words and SHA-1 in KDE 3 and 4; in KDE Frameworks 5 and 6 the cipher's words
// are big-endian and SHA-1's byte order is wrong. Only the digest distinguishes the two. The key of minor
// version 0 is hashed from the passphrase alone; that of version 1 comes from PBKDF2, with a salt in a
// separate file beside the wallet.
#pragma once

#include "fugu/format/codec.hpp"

namespace fugu::format {

extern const Codec kKwalletCodec;

}  // namespace fugu::format
