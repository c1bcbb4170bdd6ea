// The codec of raw Blowfish: its options, and a description without information from the file.
#include "fugu/format/detail/codecs.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "fugu/error.hpp"
#include "fugu/format/detail/range.hpp"
#include "fugu/format/raw/raw.hpp"
#include "fugu/mode/wrong_padding.hpp"

namespace fugu::format {
namespace {

using mode::Mode;
using mode::Padding;

// In the order of mode::Mode and mode::Padding.
constexpr std::string_view kModes[] = {"ecb", "cbc", "cfb", "cfb8", "ofb", "ctr"};
constexpr std::string_view kPaddings[] = {"pkcs7", "zero", "space", "none"};
constexpr std::string_view kOrders[] = {"be", "le"};

constexpr OptionRow kOptions[] = {
    {.name = "mode",
     .type = OptionType::word,
     .value = "NAME",
     .help = "ecb, cbc, cfb (64 bits), cfb8, ofb or ctr.",
     .words = kModes},
    {.name = "iv",
     .type = OptionType::text,
     .value = "IV",
     .help = "16 hexadecimal digits, zero, or prefix: the first 8 bytes of the file."},
    {.name = "pad",
     .type = OptionType::word,
     .value = "NAME",
     .help = "pkcs7 (the default of ecb and cbc), zero, space or none.",
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
};

// The value of the option's word: its index among `words`.
template <class T>
std::optional<T> chosen(const OptionValues& options, std::string_view name,
                        std::span<const std::string_view> words) {
  const std::optional<std::string> given = options.text(name);
  if (!given) return std::nullopt;
  return static_cast<T>(std::ranges::find(words, *given) - words.begin());
}

core::ByteOrder order(const OptionValues& options, std::string_view name) {
  return options.text(name) == "le" ? core::ByteOrder::little : core::ByteOrder::big;
}

void set_iv(const OptionValues& options, RawParameters& raw) {
  const std::optional<std::string> given = options.text("iv");
  if (raw.settings.mode == Mode::ecb) {
    if (given) throw Error(Errc::usage, "--iv and --mode ecb cannot be combined: this mode has no iv");
    return;
  }
  if (!given) throw Error(Errc::usage, "--format raw needs --iv (16 hexadecimal digits, zero or prefix)");
  if (*given == "prefix") {
    raw.iv_place = IvPlace::prefix;
    return;
  }
  mode::Iv& iv = raw.settings.iv.emplace();
  if (*given == "zero") return;
  const std::optional<std::vector<std::byte>> bytes = parse_hex(*given);
  if (!bytes || bytes->size() != iv.size())
    throw Error(Errc::usage, "--iv takes 16 hexadecimal digits, zero or prefix");
  std::ranges::copy(*bytes, iv.begin());
}

void set_padding(const OptionValues& options, mode::Settings& settings) {
  const std::optional<Padding> given = chosen<Padding>(options, "pad", kPaddings);
  if (given && !mode::is_padded(settings.mode)) {
    throw Error(Errc::usage, "--pad and --mode " + *options.text("mode") +
                                 " cannot be combined: this mode is never padded");
  }
  settings.padding = given.value_or(mode::is_padded(settings.mode) ? Padding::pkcs7 : Padding::none);
}

RawParameters parameters(const OptionValues& options) {
  const std::optional<Mode> mode = chosen<Mode>(options, "mode", kModes);
  if (!mode) throw Error(Errc::usage, "--format raw needs --mode ecb, cbc, cfb, cfb8, ofb or ctr");
  RawParameters raw;
  raw.settings.mode = *mode;
  set_iv(options, raw);
  set_padding(options, raw.settings);
  if (options.has("counter") && *mode != Mode::ctr)
    throw Error(Errc::usage, "--counter and --mode " + *options.text("mode") +
                                 " cannot be combined: only ctr has a counter");
  raw.settings.words = order(options, "words");
  raw.settings.counter = order(options, "counter");
  return raw;
}

void check(const OptionValues& options, OptionUse) {
  static_cast<void>(parameters(options));
}

std::string describe_parameters(const RawParameters& raw) {
  return "raw " + std::string(kModes[static_cast<std::size_t>(raw.settings.mode)]);
}

// Removing zero or space padding may take bytes of the data.
bool keeps_all(const mode::Settings& settings) {
  return settings.padding != Padding::zero && settings.padding != Padding::space;
}

Opened opened_as(const RawParameters& raw) {
  Opened opened;
  opened.parameters = describe_parameters(raw);
  opened.all_content = keeps_all(raw.settings);
  return opened;
}

// The user has to name the padding, so what the end looks like is worth saying.
const char* advice(Padding looks_like) {
  switch (looks_like) {
    case Padding::zero:
      return "the padding is not valid, and the end looks zero-padded: --pad zero";
    case Padding::space:
      return "the padding is not valid, and the end looks padded with spaces: --pad space";
    case Padding::none:
      return "the padding is not valid, and the end looks like text without any: --pad zero or none";
    case Padding::pkcs7:
      break;
  }
  return nullptr;
}

Opened open(const Job& job, const OpenRequest& request) {
  const RawParameters raw = parameters(request.options);
  try {
    decrypt_raw(job, raw, request.secret(SecretKind::key));
  } catch (const mode::WrongPadding& wrong) {
    const char* text = advice(wrong.looks_like());
    if (text == nullptr) throw;
    throw Error(Errc::wrong_key, text);
  }
  return opened_as(raw);
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

constexpr Units kUnits{plan_seal, plan_open, stream_work};

Description describe(stream::Source& source, const OptionValues&) {
  Description description{.title = "raw Blowfish", .fields = {}};
  if (const auto bytes = source.size_bytes())
    description.fields.push_back(
        {"ciphertext_bytes", *bytes, "ciphertext", std::to_string(*bytes) + " bytes"});
  description.fields.push_back({"", {}, "not stored", "anything: key, mode, iv and padding are the user's"});
  description.fields.push_back({"authentication", "none", "authentication", "none"});
  return description;
}

bool is_serial(const OptionValues& options, core::Direction direction) {
  return mode::is_serial(parameters(options).settings.mode, direction);
}

constexpr std::string_view kExtensions[] = {".bf"};

}  // namespace

const Codec kRawCodec{
    .name = "raw",
    .extensions = kExtensions,
    .summary = "Blowfish without a header",
    .made_by = "openssl enc -K, and programs in Java, PHP, Perl, Python and others",
    .wrong_secret = "nothing, but padding that is not valid",
    .abilities = abilities({Ability::open, Ability::seal, Ability::watch}),
    .secrets = secrets({SecretKind::key}),
    .max_key_bytes = cipher::kMaxClassicKeyBytes,
    .specified_key_bytes = cipher::kMaxKeyBytes,
    .options = kOptions,
    .recognise = nullptr,
    .check = check,
    .open = open,
    .seal = seal,
    .describe = describe,
    .is_serial = is_serial,
    .units = &kUnits,
};

}  // namespace fugu::format
