// Messages of OpenPGP that a passphrase opens, with Blowfish (RFC 4880, RFC 9580).
//
//   session keys for public keys, skipped | session key by a passphrase (SKESK), one or more | encrypted data
//
// Encrypted data ends in an MDC, SHA-1 of all before it (tag 18), or has nothing but 16 bits that show a
// wrong passphrase (tag 9), as GnuPG 1 wrote it and GnuPG 2.2 refuses to read. Inside are packets: compressed
// data, and the literal data. Armor, partial and indeterminate lengths as they come.
#pragma once

#include "fugu/format/codec.hpp"

namespace fugu::format {

extern const Codec kOpenPgpCodec;

}  // namespace fugu::format
