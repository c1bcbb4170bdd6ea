// Passwords of data sources in JBoss, EAP and WildFly (SecureIdentityLoginModule).
//
// The text is Java's BigInteger(ciphertext).toString(16): a signed number without leading zeros. The
// ciphertext is ECB with PKCS#7 under a key that all installations share, so no secret is needed.
#include "fugu/format/detail/codecs.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/judge/story.hpp"
#include "fugu/stream/hex.hpp"

namespace fugu::format {
namespace {

constexpr std::string_view kKey = "jaas is the way";

core::WipedBytes ciphertext_of(std::string_view number) {
  core::WipedBytes ciphertext(number.size() + kBlockBytes);
  const stream::DecodedText decoded = stream::decode_signed_hex(number, ciphertext);
  if (!decoded || decoded.bytes == 0)
    throw Error(Errc::damaged, "not a number in hexadecimal digits, perhaps with a minus sign before them");
  ciphertext.resize(decoded.bytes);
  return ciphertext;
}

Opened open_jboss(const Job& job, const OpenRequest&) {
  const core::WipedBytes text = read_whole(job, "a password");
  core::WipedBytes password = ciphertext_of(text_of(text));
  transform(job.engine, bytes_in(kKey), {.mode = Mode::ecb}, Direction::decrypt, password);
  const auto padding = padding_bytes(TailPadding::pkcs7, std::span(password).last(kBlockBytes));
  if (!padding)
    throw Error(Errc::damaged, "the padding is not valid: damaged, or written with another key than JBoss's");
  write_whole(job, std::span(password).first(password.size() - *padding));
  return proved("JBoss, ecb");
}

}  // namespace

const Codec kJbossCodec{
    .name = "jboss",
    .summary = "passwords in the data sources of JBoss, EAP and WildFly",
    .made_by = "SecureIdentityLoginModule",
    .details = "The text is a hexadecimal number that may begin with a minus sign.",
    .wrong_secret = kNoSecretToTell,
    .secrets = 0,
    .open = open_jboss,
    .describe = describe_as<"a JBoss password, if ⟦format⟧ is right">,
    .no_salvage = "it holds one password",
    .holds_passwords = true,
    .is_text = true,
    .has_messages = true,
};

}  // namespace fugu::format
