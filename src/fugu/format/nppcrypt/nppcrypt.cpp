// Texts that nppcrypt, a plug-in of Notepad++, encrypted with Blowfish: headers 1010 to 1016, and 1008 and
// 1009.
//
//   <nppcrypt version=".." ..> | <encryption cipher=".." mode=".." encoding=".." /> | <key algorithm=".." ..
//   /> | <iv ../> or <random ../> | </nppcrypt> | ciphertext, as bytes, base16, base32 or base64 "nppcrypt"
//   01 | cipher | mode | .. | "Salted__" and salt 8, maybe | ciphertext
//
// ECB and CBC have PKCS#7 padding. A message authentication code, if present, has its own passphrase and is
// not checked.
#include "fugu/format/detail/codecs.hpp"

#include <algorithm>

#include "fugu/format/detail/recipe.hpp"
#include "fugu/format/nppcrypt/detail/header.hpp"

namespace fugu::format {
namespace {

using core::kBlockBytes;

constexpr unsigned kLastWithZero = 1010;  // passphrases up to this version could end in a zero

Tried judged(const Job& job, Lookahead& data, const NppHeader& header, const auth::SecretBytes& passphrase) {
  const auth::SecretBytes stream = derive_nppcrypt_key(header, passphrase);
  const Recipe recipe{.derivation = Derivation::literal,
                      .mode = header.mode,
                      .padding = mode::is_padded(header.mode) ? TailPadding::pkcs7 : TailPadding::none};
  RecipeInput input{.salt = {}, .iv = mode::Iv()};
  if (header.iv || header.derives_iv)
    input.iv = iv_of(header.iv ? std::span<const std::byte>(*header.iv) : stream.span().last(kBlockBytes));
  return std::move(
      try_recipes(job.engine, {recipe}, auth::SecretBytes(stream.span().first(header.key_bytes)), input, data)
          .front());
}

Tried find_key(const Job& job, Lookahead& data, const NppHeader& header,
               const auth::SecretBytes& passphrase) {
  Tried best = judged(job, data, header, passphrase);
  if (header.version <= kLastWithZero) {
    auth::SecretBytes with_zero(passphrase.size() + 1);
    std::ranges::copy(passphrase.span(), with_zero.data());
    Tried other = judged(job, data, header, with_zero);
    if (is_better(other, best)) best = std::move(other);
  }
  if (best.padding == PaddingState::invalid)
    throw Error(Errc::wrong_key, "wrong passphrase, or a damaged end");
  return best;
}

// In 1008 and 1009 a salt precedes the ciphertext.
void take_old_salt(Lookahead& data, NppHeader& header) {
  if (header.version > 1009 || !starts_with(data.peek(kSalted.size()), kSalted)) return;
  data.skip(kSalted.size());
  header.salt = data.take(kSaltBytes, "its salt");
}

Opened open_nppcrypt(const Job& job, const OpenRequest& request) {
  Lookahead text(job.source);
  NppHeader header = read_nppcrypt_header(text);
  count_read(job, static_cast<std::size_t>(text.position()));
  const auto decoder = nppcrypt_decoder(text, header.encoding);
  Lookahead data(*decoder);
  take_old_salt(data, header);
  const Tried found = find_key(job, data, header, request.secret(SecretKind::passphrase));
  Opened opened;
  opened.parameters = header.describe();
  opened.evidence.bits = std::max(0.0, found.bits);
  require_evidence(opened.evidence, true, request.accept_weak_evidence, opened.parameters, "");
  if (header.has_mac)
    opened.notes.push_back("the text has an HMAC under a passphrase of its own, which was not checked");
  run_recipe(with_source(job, data), found);
  return opened;
}

Description describe_nppcrypt(stream::Source& source, const OptionValues&) {
  Lookahead text(source);
  const NppHeader header = read_nppcrypt_header(text);
  Description description{.title = "nppcrypt " + std::to_string(header.version)};
  description.add_text("parameters", "parameters", header.describe());
  description.add_flag("hmac", "HMAC", header.has_mac);
  return description;
}

}  // namespace

const Codec kNppcryptCodec{
    .name = "nppcrypt",
    .summary = "nppcrypt, a plug-in of Notepad++, with Blowfish; its ofb works on one core alone",
    .made_by = "nppcrypt 1.0.0.8 to 1.0.1.6",
    .wrong_secret = "nothing but padding, in ecb and cbc, and how the beginning looks",
    .recognise = recognise_if<is_nppcrypt>,
    .open = open_nppcrypt,
    .describe = describe_nppcrypt,
};

}  // namespace fugu::format
