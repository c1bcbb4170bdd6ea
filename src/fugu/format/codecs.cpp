// The one table of formats, and finding a row in it by name or by what a file begins with.
#include <algorithm>
#include <array>

#include "fugu/format/bfa/bfa.hpp"
#include "fugu/format/bfe/bfe.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/format/cryptcbc/cryptcbc.hpp"
#include "fugu/format/mcrypt/mcrypt.hpp"
#include "fugu/format/nppcrypt/nppcrypt.hpp"
#include "fugu/format/openpgp/openpgp.hpp"
#include "fugu/format/securepad/securepad.hpp"
#include "fugu/format/vim/vim.hpp"

namespace fugu::format {
namespace {

// Weakest magic last.
constexpr std::array kCodecs{&kVimCodec,      &kCryptCbcCodec, &kBfaCodec, &kMcryptCodec,
                             &kNppcryptCodec, &kOpenPgpCodec,  &kBfeCodec, &kSecurePadCodec};

}  // namespace

std::span<const Codec* const> codecs() {
  return kCodecs;
}

const Codec* find_codec(std::string_view name) {
  const auto found = std::ranges::find(codecs(), name, &Codec::name);
  return found == codecs().end() ? nullptr : *found;
}

std::vector<const Codec*> recognise(std::span<const std::byte> head,
                                    std::optional<std::uint64_t> size_bytes) {
  std::vector<const Codec*> by_magic;
  std::vector<const Codec*> perhaps;
  for (const Codec* codec : codecs()) {
    const Recognition said = codec->recognise(head, size_bytes);
    if (said == Recognition::by_magic) by_magic.push_back(codec);
    if (said == Recognition::perhaps) perhaps.push_back(codec);
  }
  return by_magic.empty() ? perhaps : by_magic;
}

}  // namespace fugu::format
