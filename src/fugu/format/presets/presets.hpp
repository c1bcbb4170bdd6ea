// Programs that used Blowfish as a library gives it, and nothing of their own.
//
// burp, before it had AES: CBC, the password is the key, one IV for all files. DeadboltEdit: a line that says
// so, then base64 of what `openssl enc -bf-cbc -md md5` writes.
#pragma once

#include "fugu/format/codec.hpp"

namespace fugu::format {

extern const Codec kBurpCodec;
extern const Codec kDeadboltEditCodec;

}  // namespace fugu::format
