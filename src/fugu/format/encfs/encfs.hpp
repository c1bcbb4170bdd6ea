// EncFS 6 volumes: directories whose files are encrypted one by one, under encrypted names.
//
// .encfs6.xml holds the volume's key, encrypted under PBKDF2-HMAC-SHA1 of the passphrase with 32 bits that
// check it. A file is a sequence of blocks, each in CBC with an IV derived from its number and the file's IV;
// a shorter last block is in two passes of CFB. A block may begin with a MAC. Names have MACs of 16 bits.
#pragma once

#include "fugu/format/codec.hpp"

namespace fugu::format {

extern const Codec kEncfsCodec;

}  // namespace fugu::format
