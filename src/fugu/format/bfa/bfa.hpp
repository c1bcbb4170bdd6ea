// The containers of Blowfish Advanced CS and of BFA97.
//
//   24 08 19 92 | header size 35, u16 | version, u16 | plaintext bytes, u64 | iv size 8, u16 | block size 8,
//   u16 | salt 11 | key check, u32 | iv 8 | CBC ciphertext
//
// All little-endian, the cipher's words too. The plaintext is a header with the file's name, size and
// compression, then the content, then its CRC-32. The key check proves the passphrase with 32 bits; the inner
// header's magic proves that the cipher, which is not stored, is Blowfish.
#pragma once

#include "fugu/format/codec.hpp"

namespace fugu::format {

extern const Codec kBfaCodec;

}  // namespace fugu::format
