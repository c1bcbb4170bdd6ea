// Texts that nppcrypt, a plug-in of Notepad++, encrypted with Blowfish: headers 1010 to 1016, and 1008 and
// 1009.
//
//   <nppcrypt version=".." ..> | <encryption cipher=".." mode=".." encoding=".." /> | <key algorithm=".." ..
//   /> | <iv ../> or <random ../> | </nppcrypt> | ciphertext, as bytes, base16, base32 or base64 "nppcrypt"
//   01 | cipher | mode | .. | "Salted__" and salt 8, maybe | ciphertext
//
// ECB and CBC have PKCS#7 padding. A message authentication code, if present, has its own passphrase and is
// not checked.
#pragma once

#include "fugu/format/codec.hpp"

namespace fugu::format {

extern const Codec kNppcryptCodec;

}  // namespace fugu::format
