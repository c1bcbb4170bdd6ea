// The files of bcrypt(1), Johnny Shelley's file encryptor, which is not the password hash.
//
//   'T' or 'E' | 0 or 1 | ECB ciphertext | size of the plaintext, u32, only where compressed
//
// The first byte is the byte order of the words and the size, that of the machine that wrote the file
// (little, big); the second says whether the data is a zlib stream. The ciphertext holds the data, a copy of
// the 56-byte key, and zeros to whole blocks. The key copy proves the passphrase before anything is written;
// the data is checked only by zlib's Adler-32, where it is compressed.
#pragma once

#include "fugu/format/codec.hpp"

namespace fugu::format {

extern const Codec kBfeCodec;

}  // namespace fugu::format
