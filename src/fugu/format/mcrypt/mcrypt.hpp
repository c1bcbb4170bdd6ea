// The files of mcrypt(1), and of its --bare.
//
//   00 6d 03 | flags | algorithm, 0 | key bytes, u16 | mode, 0 | keymode, 0 | salt size and salt | digest, 0
//   | iv 8 | ciphertext of: data | digest of the data | in cbc and ecb: fill, whose last byte says how much
//   is no fill
//
// Integers are little-endian; "blowfish-compat" has little-endian words. The digest is unkeyed: it reveals
// wrong passphrases and accidents, at the end. --bare is the iv, and ciphertext without a digest.
#pragma once

#include "fugu/format/codec.hpp"

namespace fugu::format {

extern const Codec kMcryptCodec;

}  // namespace fugu::format
