// Raw Blowfish without a header, as written by Java, PHP mcrypt, Perl and others.
//
//   [skipped] | [iv 8, only with IvPlace::prefix] | ciphertext | [left out]
//
// The data does not reveal key, mode, padding or word order: all must be given. Unauthenticated.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "fugu/auth/digest.hpp"
#include "fugu/auth/random.hpp"
#include "fugu/engine/local_engine.hpp"
#include "fugu/format/detail/codecs.hpp"
#include "fugu/format/detail/lookahead.hpp"
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

constexpr OptionRow kOptions[] = {
    word_option("mode NAME", kModes, "ecb, cbc, cfb (64 bits), cfb8, ofb (64 bits), ctr, ofb8 or pcbc."),
    text_option(
        "iv IV",
        "16 hexadecimal digits, text:12345678, base64:MTIzNDU2Nzg=, zero, prefix (the first 8 bytes of "
        "the data) or encrypted-zero (a block of zeros encrypted under the key, as DCPcrypt has it)."),
    word_option(
        "pad NAME", kPaddings,
        "pkcs7 or pkcs5 (the default of ecb, cbc and pcbc), zero or null and space (those of the last block "
        "are taken off), none (the default of the others), x923, iso10126, oneandzeroes (80 00 .., ISO "
        "7816-4), rijndael_compat (the same, "
        "but nothing on whole blocks) or residual (cbc, a rest without padding as DCPcrypt has it)."),
    word_option("words ORDER", kOrders,
                "Byte order of a block's two words: be (the default) or le, 'blowfish-compat'."),
    word_option("counter ORDER", kOrders, "Byte order of the counter of ctr: be (the default) or le."),
    marked(
        word_option(
            "key-hash NAME", kHashes,
            "The key is this digest of what --key holds: md5 (PHP's md5($k, true); of md5($k) the 32 digits "
            "themselves are the key), sha1, sha256, sha512 or ripemd160."),
        &OptionRow::hashes_key),
    number_option("key-fill N", {1, cipher::kMaxClassicKeyBytes},
                  "Fill a shorter key with zero bytes to N: 16 for PHP's openssl_encrypt."),
    number_option("skip N", {},
                  "Leave out N bytes in front, a header in clear. They are counted after --hex or -a.",
                  OptionUse::open),
    number_option("length L", {}, "Decrypt at most L bytes, from --skip on, and leave out what follows.",
                  OptionUse::open),
};

core::ByteOrder order(const OptionValues& options, std::string_view name) {
  return options.text(name) == "le" ? core::ByteOrder::little : core::ByteOrder::big;
}

void set_iv(const OptionValues& options, RawParameters& raw) {
  const std::optional<std::string> given = options.text("iv");
  if (raw.settings.mode == Mode::ecb) {
    if (given) throw Error(Errc::usage, "--iv and --mode ecb cannot be combined: this mode has no iv");
    return;
  }
  if (!given) throw Error(Errc::usage, "--format raw needs --iv (" + std::string(kRawIvValues) + ")");
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

// What removing such a padding may take from the data; null if nothing.
const char* unpadding_note(Padding padding) {
  if (padding == Padding::zero)
    return "up to 8 zero bytes at the end are taken off as padding, also any that are data";
  if (padding == Padding::space)
    return "up to 8 spaces at the end are taken off as padding, also any that are data";
  if (padding == Padding::one_and_zeros_or_none)
    return "80 and zeros at the end are taken off as padding, also where they are data";
  return nullptr;
}

// Removing some paddings may take bytes of the data.
bool keeps_all(const RawParameters& raw) {
  return unpadding_note(raw.settings.padding) == nullptr && raw.skip == 0 && !raw.length;
}

Opened opened_as(const RawParameters& raw) {
  Opened opened = likely(describe_parameters(raw), 0);
  opened.all_content = keeps_all(raw);
  if (const char* const note = unpadding_note(raw.settings.padding)) opened.notes.emplace_back(note);
  return opened;
}

UnitPlan plan_of(core::Direction direction, const RawParameters& raw, const auth::SecretBytes& secret) {
  UnitPlan plan{.direction = direction, .settings = raw.settings, .key = raw_key(raw, secret)};
  if (raw.iv_place == IvPlace::encrypted_zero)
    plan.settings.iv = raw_encrypted_zero(plan.key, plan.settings.words);
  return plan;
}

UnitPlan plan_sealing(const RawParameters& raw, const auth::SecretBytes& secret) {
  UnitPlan plan = plan_of(core::Direction::encrypt, raw, secret);
  if (raw.iv_place != IvPlace::prefix) return plan;
  mode::Iv& iv = plan.settings.iv.emplace();
  auth::random_bytes(iv);
  plan.header.assign(iv.begin(), iv.end());
  return plan;
}

// Reads the IV from the job's source where it stands in front.
UnitPlan plan_opening(const Job& job, const RawParameters& raw, const auth::SecretBytes& secret) {
  UnitPlan plan = plan_of(core::Direction::decrypt, raw, secret);
  if (raw.iv_place != IvPlace::prefix) return plan;
  mode::Iv& iv = plan.settings.iv.emplace();
  const std::size_t bytes = job.source.read(iv);
  count_read(job, bytes);
  if (bytes != iv.size()) throw Error(Errc::damaged, "the data ends inside the iv, its first 8 bytes");
  plan.header.assign(iv.begin(), iv.end());
  return plan;
}

void read_past(const Job& job, std::uint64_t bytes) {
  std::array<std::byte, std::size_t{4} << 10> passed;
  while (bytes != 0) {
    const std::size_t got = job.source.read(
        std::span(passed).first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, passed.size()))));
    if (got == 0) throw Error(Errc::damaged, "the data ends inside what --skip leaves out");
    count_read(job, got);
    bytes -= got;
  }
}

std::vector<std::byte> head_at(stream::Source& source, std::uint64_t offset) {
  const std::uint64_t end = source.size_bytes().value_or(0);
  std::vector<std::byte> head(
      static_cast<std::size_t>(std::min<std::uint64_t>(end - std::min(end, offset), kRawHeadBytes)));
  return source.read_at(head, offset) ? head : std::vector<std::byte>();
}

std::vector<std::byte> head_of(Lookahead& source) {
  const auto head = source.peek(kRawHeadBytes);
  return {head.begin(), head.end()};
}

// `beginning` is also for a caller that sees it throw.
void decrypt(const Job& job, const RawParameters& raw, const auth::SecretBytes& secret,
             RawBeginning& beginning) {
  read_past(job, raw.skip);
  RestSource part(job.source, raw.skip, raw.length);
  beginning.plan = plan_opening(with_source(job, part), raw, secret);
  Lookahead pipe(part);
  const std::optional<std::uint64_t> offset = part.offset();
  beginning.ciphertext = offset ? head_at(part, *offset) : head_of(pipe);
  run_cipher(with_source(job, offset ? static_cast<stream::Source&>(part) : pipe, job.watcher),
             beginning.plan.key.span(), beginning.plan.settings, core::Direction::decrypt);
}

Opened open(const Job& job, const OpenRequest& request) {
  const RawParameters raw = parameters(request.options);
  const auth::SecretBytes& secret = request.secret(SecretKind::key);
  RawBeginning beginning;
  try {
    decrypt(job, raw, secret, beginning);
  } catch (const mode::WrongPadding& wrong) {
    throw padding_error(job.engine, wrong, raw, secret, beginning);
  }
  Opened opened = opened_as(raw);
  for (std::string& hint : result_hints(job.engine, raw, secret, beginning))
    opened.notes.push_back(std::move(hint));
  return opened;
}

std::string seal(const Job& job, const SealRequest& request) {
  const RawParameters raw = parameters(request.options);
  const UnitPlan plan = plan_sealing(raw, request.secret(SecretKind::key));
  if (!plan.header.empty()) write_counted(job, plan.header);
  run_cipher(job, plan.key.span(), plan.settings, core::Direction::encrypt);
  return describe_parameters(raw);
}

UnitPlan plan_seal(std::uint64_t plain_bytes, const SealRequest& request) {
  return divided(plan_sealing(parameters(request.options), request.secret(SecretKind::key)), plain_bytes);
}

UnitPlan plan_open(const Job& job, const OpenRequest& request, Opened& opened) {
  const RawParameters raw = parameters(request.options);
  if (raw.skip != 0 || raw.length)
    throw Error(Errc::usage, "a part of a file is not divided: one process does it");
  UnitPlan plan = plan_opening(job, raw, request.secret(SecretKind::key));
  opened = opened_as(raw);
  return divided(std::move(plan), file_bytes(job.source));
}

std::unique_ptr<MessageCipher> open_messages(const OpenRequest& request, std::span<const core::WipedBytes>) {
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

}  // namespace

mode::Iv raw_encrypted_zero(const auth::SecretBytes& key, core::ByteOrder words) {
  mode::Iv iv;
  transform(engine::local_engine(), key.span(), {.mode = mode::Mode::ecb, .words = words},
            core::Direction::encrypt, iv);
  return iv;
}

auth::SecretBytes raw_key(const RawParameters& parameters, const auth::SecretBytes& secret) {
  constexpr std::size_t kMost = cipher::kMaxClassicKeyBytes;
  if (secret.empty()) throw Error(Errc::usage, "a key of 0 bytes: blowfish takes 1 and more");
  const auth::SecretBytes key = parameters.key_hash.empty()
                                    ? auth::SecretBytes(secret.span())
                                    : auth::digest(parameters.key_hash, {secret.span()});
  auth::SecretBytes filled(std::clamp(key.size(), parameters.key_fill, kMost));
  std::ranges::copy(key.span().first(std::min(key.size(), filled.size())), filled.data());
  return filled;
}

std::string_view raw_padding_name(Padding padding) {
  return kPaddings[place_of(kPaddingValues, padding)];
}

const Codec kRawCodec{
    .name = "raw",
    .extensions = kExtensions<".bf">,
    .summary = "Blowfish without a header",
    .made_by = "openssl enc -K, and programs in Java, PHP, Perl, Python and others",
    .wrong_secret = "nothing, but padding that is not valid",
    .secrets = secrets({SecretKind::key}),
    .max_key_bytes = kMaxPassphraseBytes,  // the first 72 count, or all are hashed
    .specified_key_bytes = cipher::kMaxKeyBytes,
    .options = kOptions,
    .check = check,
    .open = open,
    .seal = seal,
    .describe = describe,
    .watches = true,
    .is_serial = is_serial,
    .units = &kUnits,
    .has_messages = true,
    .open_messages = open_messages,
    .seal_messages = seal_messages,
};

}  // namespace fugu::format
