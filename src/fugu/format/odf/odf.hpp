// OpenDocument and StarOffice documents under a password, with Blowfish: ODF 1.0 and 1.1, and sxw.
//
// A zip archive whose META-INF/manifest.xml says of each file how it is encrypted: CFB over its deflated
// content, stored, under a key of its own from PBKDF2-HMAC-SHA1 of the password's SHA-1. A checksum, mostly
// of the first 1024 bytes, tells a wrong password. What comes out is the same archive with these files
// deflated, all others as they were, and a manifest that knows of no encryption.
#pragma once

#include "fugu/format/codec.hpp"

namespace fugu::format {

extern const Codec kOdfCodec;

}  // namespace fugu::format
