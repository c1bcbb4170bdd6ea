// The codec of `openssl enc`: its options and its description of a file.
#include "fugu/format/detail/codecs.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "fugu/format/detail/range.hpp"
#include "fugu/format/openssl/detail/parameters.hpp"
#include "fugu/format/openssl/openssl_enc.hpp"

namespace fugu::format {
namespace {

using mode::Mode;

constexpr std::array kCipherModes{Mode::cbc, Mode::ecb, Mode::cfb64, Mode::ofb};
constexpr std::array<std::string_view, 4> kCiphers{"bf-cbc", "bf-ecb", "bf-cfb",
                                                   "bf-ofb"};  // in the same order

constexpr OptionRow kOptions[] = {
    {.name = "cipher",
     .type = OptionType::word,
     .value = "NAME",
     .help = "bf-cbc (the default when encrypting), bf-ecb, bf-cfb or bf-ofb.",
     .words = kCiphers},
    {.name = "md",
     .type = OptionType::text,
     .value = "NAME",
     .help = "Digest of the key derivation: sha256 (the default when encrypting) or another that OpenSSL "
             "knows."},
    {.name = "pbkdf2",
     .type = OptionType::flag,
     .help = "Derive the key with PBKDF2 (the default when encrypting)."},
    {.name = "no-pbkdf2",
     .type = OptionType::flag,
     .help = "Derive the key as openssl enc does without -pbkdf2, by EVP_BytesToKey. Weak: one hash per "
             "guess."},
    {.name = "iter",
     .type = OptionType::number,
     .value = "N",
     .help =
         "PBKDF2 iterations, 10000 by default with --pbkdf2 and when encrypting. With --no-pbkdf2 how often "
         "EVP_BytesToKey hashes, 1 by default: 2048 in Ruby's pkcs5_keyivgen.",
     .at_least = 1,
     .at_most = std::numeric_limits<std::int32_t>::max()},  // OpenSSL's own limit
    {.name = "nosalt", .type = OptionType::flag, .help = "No salt and no header.", .names_format = true},
    {.name = "salt",
     .type = OptionType::bytes,
     .value = "HEX",
     .help = "This salt, 16 digits, and no header, as OpenSSL 3 does with -S.",
     .at_least = sizeof(Salt),
     .at_most = sizeof(Salt),
     .names_format = true},
    {.name = "nopad", .type = OptionType::flag, .help = "No padding: the length is a multiple of 8."},
    {.name = "key-bytes",
     .type = OptionType::number,
     .value = "N",
     .help = "Key length, 16 by default; files of OpenSSL 3.0.0 to 3.0.3 in bf-cfb and bf-ofb have 8.",
     .at_least = 1,
     .at_most = kMaxOpensslKeyBytes},
};

std::optional<Mode> given_mode(const OptionValues& options) {
  return chosen(options, "cipher", kCiphers, kCipherModes);
}

std::optional<std::string> given_digest(const OptionValues& options) {
  const std::optional<std::string> name = options.text("md");
  if (name && !auth::digest_exists(*name)) {
    throw Error(Errc::usage,
                "--md takes a digest that OpenSSL knows, as listed by: openssl list -digest-commands");
  }
  return name;
}

// 0: EVP_BytesToKey; empty: not given.
std::optional<std::uint32_t> given_iterations(const OptionValues& options) {
  options.refuse_together({"pbkdf2", "no-pbkdf2"});
  if (options.has("no-pbkdf2")) return 0;
  if (!options.has("pbkdf2") && !options.has("iter")) return std::nullopt;
  return static_cast<std::uint32_t>(options.number("iter").value_or(kDefaultPbkdf2Iterations));
}

SaltPlace salt_place(const OptionValues& options) {
  options.refuse_together({"nosalt", "salt"});
  if (options.has("nosalt")) return SaltPlace::none;
  return options.has("salt") ? SaltPlace::given : SaltPlace::header;
}

std::optional<Salt> given_salt(const OptionValues& options) {
  const std::optional<std::vector<std::byte>> bytes = options.bytes("salt");
  if (!bytes) return std::nullopt;
  Salt salt{};
  std::ranges::copy(*bytes, salt.begin());
  return salt;
}

bool is_padded(const OptionValues& options, std::optional<Mode> mode) {
  if (!options.has("nopad")) return true;
  if (mode && !mode::is_padded(*mode)) {
    throw Error(Errc::usage, "--nopad and --cipher " + *options.text("cipher") +
                                 " cannot be combined: this mode is never padded");
  }
  return false;
}

OpensslDecryptRequest decrypt_request(const OptionValues& options) {
  OpensslDecryptRequest request;
  request.mode = given_mode(options);
  request.digest = given_digest(options);
  request.pbkdf2_iterations = given_iterations(options);
  if (options.has("no-pbkdf2"))
    request.bytes_to_key_count = static_cast<std::uint32_t>(options.number("iter").value_or(1));
  request.key_bytes = options.number("key-bytes");
  request.padded = is_padded(options, request.mode);
  request.salt_place = salt_place(options);
  request.salt = given_salt(options);
  return request;
}

void add_seal_defaults(OptionValues& options) {
  if (!options.has("cipher")) options.set("cipher", "bf-cbc");
  if (!options.has("md")) options.set("md", "sha256");
  if (!options.has("iter") && !options.has("no-pbkdf2")) options.set("pbkdf2");
  if (!options.has("key-bytes")) options.set("key-bytes", "16");
}

OpensslEncryptRequest encrypt_request(OptionValues options) {
  add_seal_defaults(options);
  const OpensslDecryptRequest given = decrypt_request(options);
  OpensslEncryptRequest request;
  request.parameters.mode = *given.mode;
  request.parameters.digest = *given.digest;
  request.parameters.pbkdf2_iterations = *given.pbkdf2_iterations;
  request.parameters.key_bytes = *given.key_bytes;
  request.parameters.padded = given.padded;
  request.parameters.bytes_to_key_count = given.bytes_to_key_count;
  request.salt_place = given.salt_place;
  request.salt = given.salt;
  return request;
}

void check(const OptionValues& options, OptionUse) {
  static_cast<void>(decrypt_request(options));
}


OpensslDecryptRequest decrypt_request(const OpenRequest& request) {
  OpensslDecryptRequest decrypt = decrypt_request(request.options);
  decrypt.accept_weak_evidence = request.accept_weak_evidence;
  return decrypt;
}

Opened opened_as(const OpensslDecryption& found) {
  Opened opened;
  opened.parameters = found.description;
  opened.evidence.bits = found.evidence_bits;
  opened.by_trial = found.by_trial;
  opened.all_content = found.all_content;
  opened.notes = found.notes;
  return opened;
}

Opened open(const Job& job, const OpenRequest& request) {
  return opened_as(decrypt_openssl(job, decrypt_request(request), request.secret));
}

std::unique_ptr<MessageCipher> open_messages(const OpenRequest& request,
                                             std::span<const core::WipedBytes> some) {
  return openssl_messages(decrypt_request(request), request.secret, some);
}

std::string seal(const Job& job, const SealRequest& request) {
  const OpensslEncryptRequest encrypt = encrypt_request(request.options);
  encrypt_openssl(job, encrypt, request.secret(SecretKind::passphrase));
  return encrypt.parameters.describe();
}

UnitPlan plan_seal(std::uint64_t plain_bytes, const SealRequest& request) {
  return divided(plan_encryption(encrypt_request(request.options), request.secret(SecretKind::passphrase)),
                 plain_bytes);
}

UnitPlan plan_open(const Job& job, const OpenRequest& request, Opened& opened) {
  OpensslDecryption found;
  UnitPlan plan = plan_decryption(job, decrypt_request(request), request.secret, found);
  opened = opened_as(found);
  return divided(std::move(plan), file_bytes(job.source));
}

constexpr Units kUnits{plan_seal, plan_open, stream_work};

DescriptionField ciphertext_field(std::optional<std::uint64_t> file_bytes) {
  if (!file_bytes) return {"ciphertext_bytes", {}, "", ""};
  const std::uint64_t bytes = *file_bytes - std::min<std::uint64_t>(*file_bytes, kSaltedHeaderBytes);
  const bool whole = bytes % core::kBlockBytes == 0;
  return {
      "ciphertext_bytes", bytes, "ciphertext",
      std::to_string(bytes) + " bytes" + (whole ? "" : ", not whole blocks: bf-cfb or bf-ofb, or damaged")};
}

Description describe(stream::Source& source, const OptionValues& options) {
  Description description{.title = "openssl enc", .often_text = true};
  const std::optional<std::uint64_t> file_bytes = source.size_bytes();
  if (salt_place(options) == SaltPlace::header) {
    std::array<std::byte, kSaltedHeaderBytes> header;
    if (source.read(header) < header.size())
      throw Error(Errc::damaged, "file ends inside its header: it was truncated");
    const std::string salt = hex_text(std::span(header).last(sizeof(Salt)));
    description.title += ", salt " + salt;
    description.add_text("salt", "", salt);
  }
  description.fields.push_back(ciphertext_field(file_bytes));
  description.fields.push_back({"", {}, "not stored", "cipher, digest, iterations, key length"});
  description.add_text("authentication", "authentication", "none");
  return description;
}

bool is_serial(const OptionValues& options, core::Direction direction) {
  return mode::is_serial(given_mode(options).value_or(Mode::cbc), direction);
}

constexpr std::string_view kExtensions[] = {".enc", ".openssl"};

}  // namespace

const Codec kOpensslCodec{
    .name = "openssl",
    .extensions = kExtensions,
    .summary = "openssl enc with Blowfish",
    .made_by = "openssl enc -bf-cbc, -bf-ecb, -bf-cfb or -bf-ofb",
    .wrong_secret = "the padding, and how the beginning of the plaintext looks",
    .abilities = abilities({Ability::open, Ability::seal, Ability::watch}),
    .passphrase_file_bytes = 1023,  // APP_PASS_LEN in apps/lib/apps.c, less the final NUL
    .options = kOptions,
    .recognise = recognise_if<begins_with<"Salted__">>,
    .check = check,
    .open = open,
    .seal = seal,
    .add_seal_defaults = add_seal_defaults,
    .describe = describe,
    .is_serial = is_serial,
    .units = &kUnits,
    .has_messages = true,
    .open_messages = open_messages,
};

}  // namespace fugu::format
