// The one table of formats.
#include <array>

#include "fugu/format/bfa/bfa.hpp"
#include "fugu/format/bfe/bfe.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/format/cryptcbc/cryptcbc.hpp"
#include "fugu/format/encfs/encfs.hpp"
#include "fugu/format/kwallet/kwallet.hpp"
#include "fugu/format/luks1/luks1.hpp"
#include "fugu/format/mcrypt/mcrypt.hpp"
#include "fugu/format/nppcrypt/nppcrypt.hpp"
#include "fugu/format/odf/odf.hpp"
#include "fugu/format/openpgp/openpgp.hpp"
#include "fugu/format/openssl/codec.hpp"
#include "fugu/format/presets/presets.hpp"
#include "fugu/format/pwsafe/pwsafe.hpp"
#include "fugu/format/raw/codec.hpp"
#include "fugu/format/sealed/codec.hpp"
#include "fugu/format/securepad/securepad.hpp"
#include "fugu/format/vim/vim.hpp"

namespace fugu::format {
namespace {

// Weakest magic last.
constexpr std::array kCodecs{
    &kSealedCodec,  //
#ifdef FUGU_HAS_CONTAINERS
    &kEncfsCodec,  //
    &kOdfCodec,    //
#endif
    &kVimCodec,           //
    &kBfaCodec,           //
    &kMcryptCodec,        //
    &kNppcryptCodec,      //
    &kOpenPgpCodec,       //
    &kKwalletCodec,       //
    &kLuks1Codec,         //
    &kDeadboltEditCodec,  //
    &kBfeCodec,           //
    &kOpensslCodec,       //
    &kCryptCbcCodec,      //
    &kSecurePadCodec,     //
    &kBurpCodec,          //
    &kPwsafeCodec,        //
    &kRawCodec,           //
};

}  // namespace

std::span<const Codec* const> codecs() {
  return kCodecs;
}

}  // namespace fugu::format
