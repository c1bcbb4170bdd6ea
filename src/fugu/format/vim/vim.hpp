// Files that Vim encrypted with 'cryptmethod' blowfish ("VimCrypt~02!") or blowfish2 ("VimCrypt~03!").
//
//   "VimCrypt~02!" or "VimCrypt~03!" | salt 8 | seed 8 | ciphertext, as long as the text
//
// Words are little-endian. ~03 is CFB64 from the seed. In ~02 each block is combined with the encryption of
// the ciphertext block eight before it, and each of the first eight with that of the seed: known text in one
// of these reveals the other seven, so new files are never written in ~02. Neither has anything that reveals
// a wrong passphrase.
#pragma once

#include "fugu/format/codec.hpp"

namespace fugu::format {

extern const Codec kVimCodec;

}  // namespace fugu::format
