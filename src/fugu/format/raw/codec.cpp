// The codec of raw Blowfish: its options, and a description without information from the file.
#include "fugu/format/detail/codecs.hpp"

#include <array>
#include <string>
#include <utility>

#include "fugu/format/detail/range.hpp"
#include "fugu/format/raw/detail/hints.hpp"
#include "fugu/format/raw/detail/messages.hpp"
#include "fugu/format/raw/raw.hpp"
#include "fugu/mode/wrong_padding.hpp"

namespace fugu::format {
namespace {

using namespace std::string_view_literals;
using mode::Mode;
using mode::Padding;

constexpr std::string_view kOrders[] = {"be", "le"};

constexpr std::array kModes = [] {
  std::array<std::string_view, mode::kModeNames.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = mode::kModeNames[i].name;
  return names;
}();

// pkcs5 and null are what Java and Crypt::CBC call pkcs7 and zero.
constexpr std::array kPaddings{"pkcs7"sv,    "zero"sv,     "space"sv,        "none"sv,
                               "x923"sv,     "iso10126"sv, "oneandzeroes"sv, "rijndael_compat"sv,
                               "residual"sv, "pkcs5"sv,    "null"sv};
constexpr std::array kPaddingValues{
    Padding::pkcs7,    Padding::zero,     Padding::space,         Padding::none,
    Padding::x923,     Padding::iso10126, Padding::one_and_zeros, Padding::one_and_zeros_or_none,
    Padding::residual, Padding::pkcs7,    Padding::zero};
constexpr std::array kHashes{"md5"sv, "sha1"sv, "sha256"sv, "sha512"sv, "ripemd160"sv};

constexpr std::string_view kIvValues =
    "16 hexadecimal digits, text:, base64:, zero, prefix or encrypted-zero";

constexpr OptionRow kOptions[] = {
    {.name = "mode",
     .type = OptionType::word,
     .value = "NAME",
     .help = "ecb, cbc, cfb (64 bits), cfb8, ofb (64 bits), ctr, ofb8 or pcbc.",
     .words = kModes},
    {.name = "iv",
     .type = OptionType::text,
     .value = "IV",
     .help = "16 hexadecimal digits, text:12345678, base64:MTIzNDU2Nzg=, zero, prefix (the first 8 bytes of "
             "the data) or encrypted-zero (a block of zeros encrypted under the key, as DCPcrypt has it)."},
    {.name = "pad",
     .type = OptionType::word,
     .value = "NAME",
     .help = "pkcs7 or pkcs5 (the default of ecb, cbc and pcbc), zero or null, space, none (the default of "
             "the others), x923, iso10126, oneandzeroes (80 00 .., ISO 7816-4), rijndael_compat (the same, "
             "but nothing on whole blocks) or residual (cbc, a rest without padding as DCPcrypt has it).",
     .words = kPaddings},
    {.name = "words",
     .type = OptionType::word,
     .value = "ORDER",
     .help = "Byte order of a block's two words: be (the default) or le, 'blowfish-compat'.",
     .words = kOrders},
    {.name = "counter",
     .type = OptionType::word,
     .value = "ORDER",
     .help = "Byte order of the counter of ctr: be (the default) or le.",
     .words = kOrders},
    {.name = "key-hash",
     .type = OptionType::word,
     .value = "NAME",
     .help = "The key is this digest of what --key holds: md5 (PHP's md5($k, true); of md5($k) the 32 digits "
             "themselves are the key), sha1, sha256, sha512 or ripemd160.",
     .words = kHashes,
     .hashes_key = true},
    {.name = "key-fill",
     .type = OptionType::number,
     .value = "N",
     .help = "Fill a shorter key with zero bytes to N: 16 for PHP's openssl_encrypt.",
     .at_least = 1,
     .at_most = cipher::kMaxClassicKeyBytes},
    {.name = "skip",
     .type = OptionType::number,
     .value = "N",
     .help = "Leave out N bytes in front, a header in clear. They are counted after --hex or -a.",
     .use = OptionUse::open},
    {.name = "length",
     .type = OptionType::number,
     .value = "L",
     .help = "Decrypt at most L bytes, from --skip on, and leave out what follows.",
     .use = OptionUse::open},
};

core::ByteOrder order(const OptionValues& options, std::string_view name) {
  return options.text(name) == "le" ? core::ByteOrder::little : core::ByteOrder::big;
}

// The bytes that the option's value spells; empty if it spells none.
std::optional<std::vector<std::byte>> iv_bytes(std::string_view given) {
  constexpr std::string_view kText = "text:", kBase64 = "base64:";
  if (given.starts_with(kBase64)) return parse_base64(given.substr(kBase64.size()));
  if (!given.starts_with(kText)) return parse_hex(given);
  const auto text = std::as_bytes(std::span(given.substr(kText.size())));
  return std::vector<std::byte>(text.begin(), text.end());
}

[[noreturn]] void refuse_iv(std::string_view given) {
  const bool is_text = given.size() == core::kBlockBytes && given.find(':') == std::string_view::npos;
  throw Error(Errc::usage, "--iv takes " + std::string(kIvValues) +
                               (is_text ? "; 8 characters themselves are text:12345678" : ""));
}

void set_iv(const OptionValues& options, RawParameters& raw) {
  const std::optional<std::string> given = options.text("iv");
  if (raw.settings.mode == Mode::ecb) {
    if (given) throw Error(Errc::usage, "--iv and --mode ecb cannot be combined: this mode has no iv");
    return;
  }
  if (!given) throw Error(Errc::usage, "--format raw needs --iv (" + std::string(kIvValues) + ")");
  if (*given == "prefix" || *given == "encrypted-zero") {
    raw.iv_place = *given == "prefix" ? IvPlace::prefix : IvPlace::encrypted_zero;
    return;
  }
  raw.settings.iv = parse_iv(*given);
}

void set_padding(const OptionValues& options, mode::Settings& settings) {
  const std::optional<Padding> given = chosen(options, "pad", kPaddings, kPaddingValues);
  if (given == Padding::residual && settings.mode != Mode::cbc) {
    throw Error(Errc::usage, "--pad residual and --mode " + *options.text("mode") +
                                 " cannot be combined: only cbc ends in a residual block");
  }
  settings.padding = given.value_or(mode::is_padded(settings.mode) ? Padding::pkcs7 : Padding::none);
  settings.pads_streams = true;
}

RawParameters parameters(const OptionValues& options) {
  const std::optional<std::string> mode = options.text("mode");
  if (!mode)
    throw Error(Errc::usage, "--format raw needs --mode ecb, cbc, cfb, cfb8, ofb, ctr, ofb8 or pcbc");
  RawParameters raw;
  raw.settings.mode = *mode::mode_named(*mode);
  set_iv(options, raw);
  set_padding(options, raw.settings);
  if (options.has("counter") && raw.settings.mode != Mode::ctr)
    throw Error(Errc::usage, "--counter and --mode " + *mode + " cannot be combined: only ctr has a counter");
  raw.settings.words = order(options, "words");
  raw.settings.counter = order(options, "counter");
  raw.key_hash = options.text("key-hash").value_or("");
  raw.key_fill = static_cast<std::size_t>(options.number("key-fill").value_or(0));
  raw.skip = options.number("skip").value_or(0);
  raw.length = options.number("length");
  return raw;
}

void check(const OptionValues& options, OptionUse) {
  static_cast<void>(parameters(options));
}

std::string describe_parameters(const RawParameters& raw) {
  return "raw " + std::string(mode::name_of(raw.settings.mode));
}

// Removing some paddings may take bytes of the data.
bool keeps_all(const RawParameters& raw) {
  const Padding padding = raw.settings.padding;
  return padding != Padding::zero && padding != Padding::space && padding != Padding::one_and_zeros_or_none &&
         raw.skip == 0 && !raw.length;
}

Opened opened_as(const RawParameters& raw) {
  Opened opened;
  opened.parameters = describe_parameters(raw);
  opened.all_content = keeps_all(raw);
  return opened;
}

Opened open(const Job& job, const OpenRequest& request) {
  const RawParameters raw = parameters(request.options);
  const auth::SecretBytes& secret = request.secret(SecretKind::key);
  RawBeginning beginning;
  try {
    decrypt_raw(job, raw, secret, beginning);
  } catch (const mode::WrongPadding& wrong) {
    throw Error(Errc::wrong_key, padding_advice(wrong, raw, secret));
  }
  Opened opened = opened_as(raw);
  opened.notes = result_hints(job.engine, raw, secret, beginning);
  return opened;
}

std::string seal(const Job& job, const SealRequest& request) {
  const RawParameters raw = parameters(request.options);
  encrypt_raw(job, raw, request.secret(SecretKind::key));
  return describe_parameters(raw);
}

UnitPlan plan_seal(std::uint64_t plain_bytes, const SealRequest& request) {
  const RawParameters raw = parameters(request.options);
  return divided(plan_encryption(raw, request.secret(SecretKind::key)), plain_bytes);
}

UnitPlan plan_open(const Job& job, const OpenRequest& request, Opened& opened) {
  const RawParameters raw = parameters(request.options);
  UnitPlan plan = plan_decryption(job, raw, request.secret(SecretKind::key));
  opened = opened_as(raw);
  return divided(std::move(plan), file_bytes(job.source));
}

std::unique_ptr<MessageCipher> open_messages(const OpenRequest& request) {
  const RawParameters raw = parameters(request.options);
  return raw_messages(raw, keeps_all(raw), request.secret(SecretKind::key), core::Direction::decrypt);
}

std::unique_ptr<MessageCipher> seal_messages(const SealRequest& request) {
  return raw_messages(parameters(request.options), true, request.secret(SecretKind::key),
                      core::Direction::encrypt);
}

constexpr Units kUnits{plan_seal, plan_open, stream_work};

Description describe(stream::Source& source, const OptionValues&) {
  Description description{.title = "raw Blowfish"};
  if (const auto bytes = source.size_bytes())
    description.add_number("ciphertext_bytes", "ciphertext", *bytes, " bytes");
  description.fields.push_back({"", {}, "not stored", "anything: key, mode, iv and padding are the user's"});
  description.add_text("authentication", "authentication", "none");
  return description;
}

bool is_serial(const OptionValues& options, core::Direction direction) {
  return mode::is_serial(parameters(options).settings.mode, direction);
}

constexpr std::string_view kExtensions[] = {".bf"};

}  // namespace

mode::Iv parse_iv(std::string_view given) {
  mode::Iv iv;
  if (given == "zero") return iv;
  const std::optional<std::vector<std::byte>> bytes = iv_bytes(given);
  if (!bytes || bytes->size() != iv.size()) refuse_iv(given);
  return iv_of(*bytes);
}

std::string_view raw_padding_name(Padding padding) {
  return kPaddings[place_of(kPaddingValues, padding)];
}

const Codec kRawCodec{
    .name = "raw",
    .extensions = kExtensions,
    .summary = "Blowfish without a header",
    .made_by = "openssl enc -K, and programs in Java, PHP, Perl, Python and others",
    .wrong_secret = "nothing, but padding that is not valid",
    .abilities = abilities({Ability::open, Ability::seal, Ability::watch}),
    .secrets = secrets({SecretKind::key}),
    .max_key_bytes = kMaxPassphraseBytes,  // the first 72 count, or all are hashed
    .specified_key_bytes = cipher::kMaxKeyBytes,
    .options = kOptions,
    .check = check,
    .open = open,
    .seal = seal,
    .describe = describe,
    .is_serial = is_serial,
    .units = &kUnits,
    .has_messages = true,
    .open_messages = open_messages,
    .seal_messages = seal_messages,
};

}  // namespace fugu::format
