// The one table of formats.

#include "fugu/format/detail/codecs.hpp"

namespace fugu::format {
namespace {

// Weakest magic last.
constexpr std::array kCodecs{
    &kSealedCodec,  //
#ifdef FUGU_HAS_CONTAINERS
    &kEncfsCodec,    //
    &kOdfCodec,      //
    &kFpmCodec,      //
    &kNavicatCodec,  //
#endif
    &kVimCodec,           //
    &kBfaCodec,           //
    &kMcryptCodec,        //
    &kNppcryptCodec,      //
    &kOpenPgpCodec,       //
    &kKwalletCodec,       //
    &kOublietteCodec,     //
    &kLuks1Codec,         //
    &kDeadboltEditCodec,  //
    &kSecureCrtCodec,     //
    &kFishCodec,          //
    &kBfeCodec,           //
    &kHmailserverCodec,   //
    &kOpensslCodec,       //
    &kCryptCbcCodec,      //
    &kSecurePadCodec,     //
    &kBurpCodec,          //
    &kPwsafeCodec,        //
    &kGpassCodec,         //
    &kJbossCodec,         //
    &kTrueCryptCodec,     //
    &kVndCodec,           //
    &kPlainCodec,         //
    &kDcpcryptCodec,      //
    &kRawCodec,           //
};

}  // namespace

std::span<const Codec* const> codecs() {
  return kCodecs;
}

}  // namespace fugu::format
