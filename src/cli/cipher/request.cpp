#include "cli/cipher/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cli/cipher/sealed_run.hpp"
#include "fugu/auth/kdf.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {
namespace {

using core::Direction;
using mode::Mode;
using mode::Padding;

constexpr Choice<Format> kFormats[] = {
    {"sealed", Format::sealed}, {"openssl", Format::openssl}, {"raw", Format::raw}};
constexpr Choice<Mode> kCiphers[] = {
    {"bf-cbc", Mode::cbc}, {"bf-ecb", Mode::ecb}, {"bf-cfb", Mode::cfb64}, {"bf-ofb", Mode::ofb}};
constexpr Choice<Mode> kModes[] = {{"ecb", Mode::ecb},   {"cbc", Mode::cbc}, {"cfb", Mode::cfb64},
                                   {"cfb8", Mode::cfb8}, {"ofb", Mode::ofb}, {"ctr", Mode::ctr}};
constexpr Choice<Padding> kPaddings[] = {
    {"pkcs7", Padding::pkcs7}, {"zero", Padding::zero}, {"space", Padding::space}, {"none", Padding::none}};
constexpr Choice<core::ByteOrder> kOrders[] = {{"be", core::ByteOrder::big}, {"le", core::ByteOrder::little}};

void refuse_combined(const OptionSpec& option, Format format) {
  const bool passphrase = option.belongs == Belongs::passphrase;
  if (format == Format::raw &&
      (passphrase || option.belongs == Belongs::openssl || option.belongs == Belongs::sealed)) {
    throw Error(Errc::usage, fmt::format("--{} and --format raw cannot be combined", option.name));
  }
  if (format == Format::openssl && (option.belongs == Belongs::key || option.belongs == Belongs::sealed)) {
    throw Error(Errc::usage, fmt::format("--{} and --format openssl cannot be combined", option.name));
  }
}

void refuse_foreign_options(const Arguments& arguments, Format format) {
  for (const OptionGroup* group : arguments.subcommand().groups) {
    for (const OptionSpec& option : group->options) {
      if (!arguments.has(option.name)) continue;
      if (option.belongs == Belongs::raw && format != Format::raw) {
        throw Error(Errc::usage, fmt::format("--{} needs --format raw", option.name));
      }
      if (option.belongs == Belongs::openssl && format == Format::sealed) {
        throw Error(Errc::usage, fmt::format("--{} needs --format openssl", option.name));
      }
      refuse_combined(option, format);
    }
  }
}

// A file without its salt header cannot be detected: the options that say so choose the format.
Format chosen_format(const Arguments& arguments, Direction direction) {
  if (const auto format = choice_value(arguments, "format", kFormats)) return *format;
  const bool headerless = arguments.has("nosalt") || arguments.has("salt");
  if (headerless) return Format::openssl;
  return direction == Direction::encrypt ? Format::sealed : Format::detect;
}

// -a and -A together are how openssl enc is told to write one line.
std::optional<TextForm> text_form(const Arguments& arguments) {
  refuse_together(arguments, {"base64", "hex"});
  const auto lines = arguments.has("single-line") ? stream::TextLines::single : stream::TextLines::wrapped;
  if (arguments.has("hex")) return TextForm{TextEncoding::hex, lines};
  if (arguments.has("base64") || arguments.has("single-line")) return TextForm{TextEncoding::base64, lines};
  return std::nullopt;
}

std::optional<std::string> digest(const Arguments& arguments) {
  const std::optional<std::string> name = arguments.value("md");
  if (name && !auth::digest_exists(*name)) {
    throw Error(Errc::usage,
                "--md takes a digest that OpenSSL knows, as listed by: openssl list -digest-commands");
  }
  return name;
}

// 0: EVP_BytesToKey; nothing: not said.
std::optional<std::uint32_t> iterations(const Arguments& arguments) {
  refuse_together(arguments, {"pbkdf2", "no-pbkdf2"});
  refuse_together(arguments, {"no-pbkdf2", "iter"});
  if (arguments.has("no-pbkdf2")) return 0;
  if (!arguments.has("pbkdf2") && !arguments.has("iter")) return std::nullopt;
  constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();  // OpenSSL's own limit
  return static_cast<std::uint32_t>(
      number_value(arguments, "iter", 1, kMost, format::kDefaultPbkdf2Iterations));
}

std::optional<format::Salt> given_salt(const Arguments& arguments) {
  const std::optional<std::string> digits = arguments.value("salt");
  if (!digits) return std::nullopt;
  format::Salt salt;
  if (!parse_hex(*digits, salt)) throw Error(Errc::usage, "--salt takes 16 hexadecimal digits");
  return salt;
}

format::SaltPlace salt_place(const Arguments& arguments) {
  refuse_together(arguments, {"nosalt", "salt"});
  if (arguments.has("nosalt")) return format::SaltPlace::none;
  return arguments.has("salt") ? format::SaltPlace::given : format::SaltPlace::header;
}

std::optional<std::size_t> key_bytes(const Arguments& arguments) {
  if (!arguments.has("key-bytes")) return std::nullopt;
  return number_value(arguments, "key-bytes", cipher::kMinKeyBytes, cipher::kMaxKeyBytes, 0);
}

bool is_padded(const Arguments& arguments, std::optional<Mode> mode) {
  if (!arguments.has("nopad")) return true;
  if (mode && !mode::is_padded(*mode)) {
    throw Error(Errc::usage,
                fmt::format("--nopad and --cipher {} cannot be combined: this mode is never padded",
                            *arguments.value("cipher")));
  }
  return false;
}

format::OpensslDecryptRequest openssl_decrypt_request(const Arguments& arguments) {
  format::OpensslDecryptRequest request;
  request.mode = choice_value(arguments, "cipher", kCiphers);
  request.digest = digest(arguments);
  request.pbkdf2_iterations = iterations(arguments);
  request.key_bytes = key_bytes(arguments);
  request.padded = is_padded(arguments, request.mode);
  request.salt_place = salt_place(arguments);
  request.salt = given_salt(arguments);
  return request;
}

format::OpensslEncryptRequest openssl_encrypt_request(const format::OpensslDecryptRequest& given) {
  format::OpensslEncryptRequest request;
  request.parameters.mode = given.mode.value_or(Mode::cbc);
  request.parameters.digest = given.digest.value_or("sha256");
  request.parameters.pbkdf2_iterations = given.pbkdf2_iterations.value_or(format::kDefaultPbkdf2Iterations);
  request.parameters.key_bytes = given.key_bytes.value_or(request.parameters.key_bytes);
  request.parameters.padded = given.padded;
  request.salt_place = given.salt_place;
  request.salt = given.salt;
  return request;
}

void set_iv(const Arguments& arguments, format::RawParameters& raw) {
  const std::optional<std::string> given = arguments.value("iv");
  if (raw.settings.mode == Mode::ecb) {
    if (given) throw Error(Errc::usage, "--iv and --mode ecb cannot be combined: this mode has no iv");
    return;
  }
  if (!given) throw Error(Errc::usage, "--format raw needs --iv (16 hexadecimal digits, zero or prefix)");
  if (*given == "prefix") {
    raw.iv_place = format::IvPlace::prefix;
  } else if (mode::Iv& iv = raw.settings.iv.emplace(); *given != "zero" && !parse_hex(*given, iv)) {
    throw Error(Errc::usage, "--iv takes 16 hexadecimal digits, zero or prefix");
  }
}

void set_padding(const Arguments& arguments, mode::Settings& settings) {
  const std::optional<Padding> given = choice_value(arguments, "pad", kPaddings);
  if (given && !mode::is_padded(settings.mode)) {
    throw Error(Errc::usage, fmt::format("--pad and --mode {} cannot be combined: this mode is never padded",
                                         *arguments.value("mode")));
  }
  settings.padding = given.value_or(mode::is_padded(settings.mode) ? Padding::pkcs7 : Padding::none);
}

format::RawParameters raw_parameters(const Arguments& arguments) {
  format::RawParameters raw;
  const std::optional<Mode> mode = choice_value(arguments, "mode", kModes);
  if (!mode) throw Error(Errc::usage, "--format raw needs --mode ecb, cbc, cfb, cfb8, ofb or ctr");
  raw.settings.mode = *mode;
  set_iv(arguments, raw);
  set_padding(arguments, raw.settings);
  raw.settings.words = choice_value(arguments, "words", kOrders).value_or(core::ByteOrder::big);
  const auto counter = choice_value(arguments, "counter", kOrders);
  if (counter && *mode != Mode::ctr) {
    throw Error(Errc::usage,
                fmt::format("--counter and --mode {} cannot be combined", *arguments.value("mode")));
  }
  raw.settings.counter = counter.value_or(core::ByteOrder::big);
  return raw;
}

SealedRequest sealed_request(const Arguments& arguments) {
  refuse_together(arguments, {"pass", "key"});
  refuse_together(arguments, {"range", "salvage"});
  SealedRequest sealed;
  if (arguments.has("key")) sealed.slot = format::SealedSlot::key;
  sealed.salvage = arguments.has("salvage");
  if (const auto range = arguments.value("range")) sealed.range = parse_range(*range);
  return sealed;
}

}  // namespace

Mode CipherRequest::mode() const {
  if (format == Format::raw) return raw.settings.mode;
  if (format == Format::sealed) return Mode::ctr;
  if (direction == Direction::encrypt) return openssl_encrypt.parameters.mode;
  return openssl_decrypt.mode.value_or(Mode::cbc);
}

CipherRequest cipher_request(const Arguments& arguments, Direction direction) {
  CipherRequest request;
  request.direction = direction;
  request.format = chosen_format(arguments, direction);
  refuse_foreign_options(arguments, request.format);
  request.text = text_form(arguments);
  if (request.format == Format::raw) {
    request.raw = raw_parameters(arguments);
    request.secret = key_source(arguments);
    return request;
  }
  if (request.format != Format::openssl) request.sealed = sealed_request(arguments);
  if (arguments.has("key")) {
    request.secret = key_source(arguments);
    return request;
  }
  request.openssl_decrypt = openssl_decrypt_request(arguments);
  if (direction == Direction::encrypt)
    request.openssl_encrypt = openssl_encrypt_request(request.openssl_decrypt);
  request.secret = passphrase_source(arguments);
  return request;
}

auth::SecretBytes read_secret(const CipherRequest& request) {
  if (request.format == Format::raw) return read_key(request.secret, cipher::kMaxKeyBytes);
  if (request.sealed.slot == format::SealedSlot::key) {
    return read_key(request.secret, format::kMaxSealedKeyBytes);
  }
  return read_passphrase(request.secret, request.direction == Direction::encrypt);
}

}  // namespace fugu::cli
