// Programs that use plain Blowfish without a format of their own.
//
// burp, before it had AES: CBC, the password as the key, one IV for all files. DeadboltEdit: a line that says
// so, then base64 of what `openssl enc -bf-cbc -md md5` writes.
#include "fugu/format/detail/codecs.hpp"

#include "fugu/auth/digest.hpp"
#include "fugu/format/detail/characters.hpp"
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

constexpr std::string_view kHmailKey = "THIS_KEY_IS_NOT_SECRET";
constexpr std::string_view kHmailSection = "[Database]", kHmailMark = "PasswordEncryption=1";
constexpr std::string_view kHmailName = "\nPassword=";

// Decrypts with the only recipe, which the padding must fit.
Opened open_only(const Job& job, Lookahead& source, const Recipe& recipe, const RecipeInput& input,
                 const auth::SecretBytes& secret, const char* parameters) {
  if (secret.empty() ||
      (recipe.derivation == Derivation::literal && secret.size() > cipher::kMaxClassicKeyBytes))
    throw Error(Errc::wrong_key, "wrong passphrase: its length is not valid for a key");
  const Verdict only = fitting(job, [&] {
    return only_recipe(try_recipes(job.engine, {recipe}, secret, input, source).front(), parameters, source);
  });
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
                   {.salt = {}, .iv = iv_of(bytes_in(kBurpIv))}, password,
                   "burp, cbc, the password is the key");
}

// The line ends in a number, an MD5 and a colon.
void take_deadbolt_line(Lookahead& source) {
  const std::string_view head = text_of(source.peek(kMaxLineBytes));
  if (!head.starts_with(kDeadboltLine)) throw Error(Errc::unknown_format, "not a DeadboltEdit text");
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

// The password's digits in the file, or all of a text that is not such a file.
std::string_view hmail_digits(std::string_view text) {
  const std::size_t name = text.find(kHmailName);
  if (name == text.npos) return trimmed(text);
  const std::string_view value = text.substr(name + kHmailName.size());
  return trimmed(value.substr(0, value.find('\n')));
}

Recognition recognise_hmail(std::span<const std::byte> head, std::optional<std::uint64_t>) {
  const std::string_view text = text_of(head);
  const bool is_it = text.find(kHmailSection) != text.npos && text.find(kHmailMark) != text.npos &&
                     text.find(kHmailName) != text.npos;
  return is_it ? Recognition::perhaps : Recognition::no;
}

Opened open_hmail(const Job& job, const OpenRequest&) {
  const core::WipedBytes text = read_whole(job, "hMailServer.ini");
  const std::string_view digits = hmail_digits(text_of(text));
  std::vector<std::byte> password = parse_hex(digits).value_or(std::vector<std::byte>());
  if (password.empty() || password.size() % core::kBlockBytes != 0)
    throw Error(Errc::damaged, "the password is not whole blocks in hexadecimal digits");
  transform(job.engine, bytes_in(kHmailKey), {.mode = mode::Mode::ecb, .words = core::ByteOrder::little},
            core::Direction::decrypt, password);
  while (!password.empty() && password.back() == std::byte{0}) password.pop_back();
  if (!is_utf8(password) || std::ranges::find(password, std::byte{0}) != password.end())
    throw Error(Errc::damaged, "it does not decrypt to a password: damaged, or not from hMailServer");
  const auto at = static_cast<std::size_t>(digits.data() - text_of(text).data());
  core::WipedBytes opened(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at));
  append(opened, password);
  if (digits.size() != trimmed(text_of(text)).size())
    append(opened, std::span(text).subspan(at + digits.size()));
  core::wipe(password.data(), password.size());
  write_whole(job, opened);
  return proved("hMailServer, ecb, little-endian words");
}

}  // namespace

const Codec kHmailserverCodec{
    .name = "hmailserver",
    .summary = "the database's password in hMailServer.ini, or its digits alone",
    .made_by = "hMailServer",
    .details = "The password is decrypted in its place; everything else stays as it is.",
    .wrong_secret = kNoSecretToTell,
    .secrets = 0,
    .recognise = recognise_hmail,
    .open = open_hmail,
    .describe = describe_as<"hMailServer.ini, with the database's password">,
    .holds_passwords = true,
    .is_text = true,
    .has_messages = true,
};

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
