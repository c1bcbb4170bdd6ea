// Programs that use plain Blowfish without a format of their own.
//
// burp, before it had AES: CBC, the password as the key, one IV for all files. DeadboltEdit: a line that says
// so, then base64 of what `openssl enc -bf-cbc -md md5` writes.
#pragma once

#include "fugu/format/codec.hpp"

namespace fugu::format {

extern const Codec kBurpCodec;
extern const Codec kDeadboltEditCodec;

}  // namespace fugu::format
