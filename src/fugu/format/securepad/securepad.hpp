// Texts that SecurePad, a plug-in of Notepad++, encrypted.
//
//   capital hexadecimal digits of the ECB ciphertext of: text | 1 to 8 zeros to whole blocks
//
// The passphrase is the key. A text has no zeros, so zeros anywhere but at the end reveal a wrong passphrase.
#pragma once

#include "fugu/format/codec.hpp"

namespace fugu::format {

extern const Codec kSecurePadCodec;

}  // namespace fugu::format
