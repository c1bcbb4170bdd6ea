// The files of Perl's Crypt::CBC with Crypt::Blowfish, versions 1.21 to 3.05.
//
//   "Salted__" | salt 8 | ciphertext      header salt, the default since 2.14
//   "RandomIV" | iv 8 | ciphertext        header randomiv, the default before
//   ciphertext                            header none
//
// Nothing else is stored. Keys have 56 bytes unless the writer chose otherwise, which distinguishes a
// "Salted__" from that of `openssl enc`. Unauthenticated: damage can go unseen.
#pragma once

#include "fugu/format/codec.hpp"

namespace fugu::format {

extern const Codec kCryptCbcCodec;

}  // namespace fugu::format
