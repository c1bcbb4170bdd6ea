// Passphrase-encrypted OpenPGP messages with Blowfish (RFC 4880, RFC 9580).
//
//   session keys for public keys, skipped | session key by a passphrase (SKESK), one or more | encrypted data
//
// Encrypted data ends in an MDC, the SHA-1 of all before it (tag 18), or has only 16 bits that reveal a wrong
// passphrase (tag 9), as GnuPG 1 wrote it and GnuPG 2.2 refuses to read. It holds packets: compressed data,
// and the literal data. Armor and partial and indeterminate lengths are supported.
#pragma once

#include "fugu/format/codec.hpp"

namespace fugu::format {

extern const Codec kOpenPgpCodec;

}  // namespace fugu::format
