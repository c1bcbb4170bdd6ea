// Password-protected OpenDocument and StarOffice documents with Blowfish: ODF 1.0 and 1.1, and sxw.
//
// A document is a zip archive whose META-INF/manifest.xml says how each file is encrypted: the deflated
// content, stored, in CFB under a key of its own from PBKDF2-HMAC-SHA1 of the password's SHA-1. A checksum,
// mostly of the first 1024 bytes, reveals a wrong password. The output is the same archive with these files
// deflated, all others unchanged, and a manifest without encryption.
#pragma once

#include "fugu/format/codec.hpp"

namespace fugu::format {

extern const Codec kOdfCodec;

}  // namespace fugu::format
