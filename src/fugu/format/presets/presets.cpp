// Programs that use plain Blowfish without a format of their own.
//
// burp, before it had AES: CBC, the password as the key, one IV for all files. DeadboltEdit: a line that says
// so, then base64 of what `openssl enc -bf-cbc -md md5` writes.
#include "fugu/format/detail/codecs.hpp"

#include <array>

#include "fugu/auth/digest.hpp"
#include "fugu/format/judge/judge.hpp"
#include "fugu/stream/base64.hpp"

namespace fugu::format {
namespace {

// burp's src/handy_extra.c.
constexpr std::string_view kBurpIv = "\x5b\x6c\x6b\x64\x2e\x24\x47\xa3";

constexpr std::uint32_t kBurpRounds = 100;
constexpr std::size_t kBurpKeyBytes = 16;

constexpr std::array kBurpOptions{bytes_option(
    "salt HEX", {core::kBlockBytes, core::kBlockBytes},
    "The salt that burp's manifest has for the file, 16 digits; without it the password is the key, "
    "as in burp 1.",
    OptionUse::open)};

constexpr Literal kDeadboltLine = "DeadboltEdit Encrypted ~~ Do Not Modify :";
constexpr std::size_t kMaxLineBytes = 256;

// Decrypts with the only recipe, which the padding must fit.
Opened open_only(const Job& job, Lookahead& source, const Recipe& recipe, const RecipeInput& input,
                 const auth::SecretBytes& secret, const char* parameters) {
  if (secret.empty() ||
      (recipe.derivation == Derivation::literal && secret.size() > cipher::kMaxClassicKeyBytes))
    throw Error(Errc::wrong_key, "wrong passphrase: it has no length that a key can have");
  const Verdict only = fitting(
      job, [&] { return only_recipe(try_recipes(job.engine, {recipe}, secret, input, source), parameters); });
  run_recipe(with_source(job, source), only.found);
  return likely(parameters, only.bits);
}

// With a salt the key and IV come from EVP_BytesToKey.
Opened open_burp(const Job& job, const OpenRequest& request) {
  Lookahead source(job.source);
  const auth::SecretBytes& password = request.secret(SecretKind::passphrase);
  if (const auto salt = request.options.bytes("salt"))
    return open_only(job, source, {.digest = "sha256", .iterations = kBurpRounds, .key_bytes = kBurpKeyBytes},
                     {.salt = *salt, .iv = {}}, password,
                     "burp, cbc, EVP_BytesToKey with SHA256 and 100 rounds");
  return open_only(job, source, {.derivation = Derivation::literal, .digest = ""},
                   {.salt = {}, .iv = iv_of(std::as_bytes(std::span(kBurpIv)))}, password,
                   "burp, cbc, the password is the key");
}

// The line ends in a number, an MD5 and a colon.
void take_deadbolt_line(Lookahead& source) {
  const std::string_view head = text_of(source.peek(kMaxLineBytes));
  if (!head.starts_with(kDeadboltLine)) throw Error(Errc::unknown_format, "not a text of DeadboltEdit");
  const std::size_t number_end = head.find(':', kDeadboltLine.size());
  const std::size_t md5_end =
      number_end == std::string_view::npos ? number_end : head.find(':', number_end + 1);
  if (md5_end == std::string_view::npos) throw Error(Errc::damaged, "the first line is damaged");
  source.skip(md5_end + 1);
}

Opened open_deadbolt(const Job& job, const OpenRequest& request) {
  Lookahead text(job.source);
  take_deadbolt_line(text);
  const auto binary = stream::base64_decoder(stream::borrow(text));
  Lookahead source(*binary);
  if (text_of(source.take(kSalted.size(), "its header")) != kSalted)
    throw Error(Errc::damaged, "no 'Salted__' where DeadboltEdit writes it");
  RecipeInput input;
  input.salt = source.take(kSaltBytes, "its salt");
  Opened opened =
      open_only(job, source, {.digest = "md5", .key_bytes = 16}, input,
                request.secret(SecretKind::passphrase), "DeadboltEdit, bf-cbc, EVP_BytesToKey with MD5");
  opened.notes.push_back("the text begins with the MD5 that DeadboltEdit puts there");
  return opened;
}

Description describe_deadbolt(stream::Source& source, const OptionValues&) {
  Lookahead text(source);
  take_deadbolt_line(text);
  return {"DeadboltEdit", {}};
}

}  // namespace

const Codec kBurpCodec{
    .name = "burp",
    .summary = "burp's backups before it had AES; only with --format burp, since nothing in them says so",
    .made_by = "burp 1 and 2 with an encryption_password",
    .wrong_secret = "nothing but padding and how the beginning looks",
    .options = kBurpOptions,
    .open = open_burp,
    .describe = describe_as<"burp">,
};

const Codec kDeadboltEditCodec{
    .name = "deadboltedit",
    .summary = "DeadboltEdit's texts",
    .made_by = "DeadboltEdit",
    .wrong_secret = "nothing but padding and how the beginning looks",
    .recognise = recognise_if<begins_with<kDeadboltLine>>,
    .open = open_deadbolt,
    .describe = describe_deadbolt,
};

}  // namespace fugu::format
