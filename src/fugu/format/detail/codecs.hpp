// The rows of the table of formats (codecs.cpp), each defined in its format's folder, and what most of them
// are made of. Private to format.
#pragma once

#include "fugu/format/codec.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/detail/rows.hpp"

namespace fugu::format {

extern const Codec kBfaCodec;
extern const Codec kBfeCodec;
extern const Codec kBurpCodec;
extern const Codec kCryptCbcCodec;
extern const Codec kDcpcryptCodec;
extern const Codec kDeadboltEditCodec;
extern const Codec kEncfsCodec;
extern const Codec kFishCodec;
extern const Codec kFpmCodec;
extern const Codec kGpassCodec;
extern const Codec kHmailserverCodec;
extern const Codec kJbossCodec;
extern const Codec kKwalletCodec;
extern const Codec kLuks1Codec;
extern const Codec kMcryptCodec;
extern const Codec kNavicatCodec;
extern const Codec kNppcryptCodec;
extern const Codec kOdfCodec;
extern const Codec kOpenPgpCodec;
extern const Codec kOpensslCodec;
extern const Codec kOublietteCodec;
extern const Codec kPlainCodec;
extern const Codec kPwsafeCodec;
extern const Codec kRawCodec;
extern const Codec kSealedCodec;
extern const Codec kSecureCrtCodec;
extern const Codec kSecurePadCodec;
extern const Codec kTrueCryptCodec;
extern const Codec kVimCodec;
extern const Codec kVndCodec;

}  // namespace fugu::format
