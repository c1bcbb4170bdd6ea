#include "fugu/format/guess/detail/axes.hpp"

#include <algorithm>
#include <array>

#include "fugu/auth/digest.hpp"
#include "fugu/error.hpp"
#include "fugu/format/detail/crypt_cbc.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/lines/lines.hpp"
#include "fugu/format/openssl/recipes.hpp"
#include "fugu/format/raw/raw.hpp"
#include "fugu/stream/hex.hpp"
#include "fugu/stream/memory.hpp"

namespace fugu::format {
namespace {

using core::ByteOrder;
using core::kBlockBytes;
using mode::Mode;
using mode::Padding;

struct SpellingRow {
  TextEncoding encoding;
  std::string_view options;
  double prior;  // of a text that can be read so
};
constexpr std::array kSpellings{
    SpellingRow{TextEncoding::hex, "--hex", 0.6}, SpellingRow{TextEncoding::base64, "-a", 0.25},
    SpellingRow{TextEncoding::signed_hex, "--signed-hex", 0.05}, SpellingRow{TextEncoding::binary, "", 0.1}};

struct HashRow {
  const char* name;
  double prior;
};
constexpr std::array kHashes{HashRow{"md5", 0.05}, HashRow{"sha1", 0.03}, HashRow{"sha256", 0.04},
                             HashRow{"sha512", 0.01}, HashRow{"ripemd160", 0.01}};
constexpr std::size_t kFilledBytes = 16;

struct IvRow {
  IvOrigin origin;
  std::string_view value;
  double prior;
};
constexpr std::array kIvs{IvRow{IvOrigin::value, "zero", 0.3}, IvRow{IvOrigin::prefix, "prefix", 0.4},
                          IvRow{IvOrigin::encrypted_zero, "encrypted-zero", 0.08}};
constexpr double kUnknownIvPrior = 0.22;

struct ModeRow {
  Mode mode;
  ByteOrder counter;
  double prior;
};
constexpr std::array kModes{
    ModeRow{Mode::ecb, ByteOrder::big, 0.3},    ModeRow{Mode::cbc, ByteOrder::big, 0.42},
    ModeRow{Mode::cfb64, ByteOrder::big, 0.07}, ModeRow{Mode::cfb8, ByteOrder::big, 0.05},
    ModeRow{Mode::ofb, ByteOrder::big, 0.04},   ModeRow{Mode::ofb8, ByteOrder::big, 0.04},
    ModeRow{Mode::ctr, ByteOrder::big, 0.03},   ModeRow{Mode::ctr, ByteOrder::little, 0.01},
    ModeRow{Mode::pcbc, ByteOrder::big, 0.04}};

struct PaddingRow {
  Padding padding;
  double prior;            // in ecb, cbc and pcbc
  double prior_in_stream;  // in the other modes; 0: not tried
};
constexpr std::array kPaddings{
    PaddingRow{Padding::pkcs7, 0.5, 0.004},          PaddingRow{Padding::zero, 0.2, 0},
    PaddingRow{Padding::none, 0.1, 0.993},           PaddingRow{Padding::space, 0.05, 0},
    PaddingRow{Padding::one_and_zeros, 0.05, 0.001}, PaddingRow{Padding::x923, 0.04, 0.001},
    PaddingRow{Padding::iso10126, 0.03, 0.001},      PaddingRow{Padding::one_and_zeros_or_none, 0.02, 0},
    PaddingRow{Padding::residual, 0.01, 0}};

struct DerivationRow {
  Derivation derivation;
  const char* digest;
  std::uint32_t iterations;
  double prior;
};
constexpr std::array kDerivations{DerivationRow{Derivation::bytes_to_key, "md5", 1, 0.2},
                                  DerivationRow{Derivation::bytes_to_key, "sha256", 1, 0.15},
                                  DerivationRow{Derivation::bytes_to_key, "sha1", 1, 0.03},
                                  DerivationRow{Derivation::bytes_to_key, "sha512", 1, 0.02},
                                  DerivationRow{Derivation::bytes_to_key, "md5", 2048, 0.15},
                                  DerivationRow{Derivation::bytes_to_key, "sha1", 2048, 0.02},
                                  DerivationRow{Derivation::bytes_to_key, "sha256", 2048, 0.03},
                                  DerivationRow{Derivation::bytes_to_key, "md5", 100, 0.02},
                                  DerivationRow{Derivation::bytes_to_key, "md5", 1000, 0.02},
                                  DerivationRow{Derivation::bytes_to_key, "md5", 2000, 0.04},
                                  DerivationRow{Derivation::bytes_to_key, "md5", 5000, 0.02},
                                  DerivationRow{Derivation::bytes_to_key, "sha256", 1000, 0.02},
                                  DerivationRow{Derivation::bytes_to_key, "sha256", 5000, 0.02},
                                  DerivationRow{Derivation::bytes_to_key, "md5", 10'000, 0.02},
                                  DerivationRow{Derivation::bytes_to_key, "sha256", 10'000, 0.02},
                                  DerivationRow{Derivation::pbkdf2, "sha256", 10'000, 0.12},
                                  DerivationRow{Derivation::pbkdf2, "sha1", 1000, 0.03},
                                  DerivationRow{Derivation::pbkdf2, "sha256", 1000, 0.03},
                                  DerivationRow{Derivation::pbkdf2, "sha256", 100'000, 0.04}};
constexpr std::array kCipherModes{
    ModeRow{Mode::cbc, ByteOrder::big, 0.6}, ModeRow{Mode::ecb, ByteOrder::big, 0.2},
    ModeRow{Mode::cfb64, ByteOrder::big, 0.1}, ModeRow{Mode::ofb, ByteOrder::big, 0.1}};
constexpr std::size_t kOpensslKeyBytes = 16;
constexpr double kCryptCbcShare = 0.3;  // of what begins with "Salted__"

std::optional<Spelled> spelled(std::span<const std::byte> text, bool is_all, const SpellingRow& row) {
  std::vector<std::byte> data(kGuessBytes + 1);
  try {
    const auto source = decoded(std::make_unique<stream::MemorySource>(text), row.encoding);
    data.resize(source->read(data));
  } catch (const Error& error) {
    if (!concerns_input(error)) throw;
    return std::nullopt;
  }
  is_all = is_all && data.size() <= kGuessBytes;
  Spelled one;
  one.options = row.options;
  one.prior = row.prior;
  one.is_all = is_all;
  one.messages.push_back(std::move(data));
  return one;
}

// Stands for any cipher where only the form of the messages counts.
class NoCipher final : public MessageCipher {
 public:
  explicit NoCipher(bool has_whole_blocks) : has_whole_blocks_(has_whole_blocks) {}
  MessageFindings run(core::WipedBytes&) const override { throw Error(Errc::wrong_key, "none"); }
  bool has_whole_blocks() const override { return has_whole_blocks_; }

 private:
  bool has_whole_blocks_;
};

bool looks_like_many(std::string_view text, bool is_all, TextEncoding encoding, bool has_whole_blocks) {
  const auto cipher = [&](std::span<const core::WipedBytes>) {
    return std::make_unique<NoCipher>(has_whole_blocks);
  };
  return !why_many_messages(text, is_all, encoding, cipher).empty();
}

// One of so many may be damaged.
constexpr std::size_t kLeastWholeLines = 8;

// Each line by itself; empty where they are no messages.
std::optional<Spelled> spelled_lines(std::string_view text, bool is_all, const SpellingRow& row,
                                     std::size_t most) {
  const std::vector<std::string_view> lines = lines_of(text, is_all);
  if (lines.size() < 2) return std::nullopt;
  Spelled some;
  some.options = "--lines " + std::string(row.options);
  some.prior = row.prior;
  some.are_lines = true;
  const std::size_t step = (lines.size() + most - 1) / most;
  std::size_t damaged = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::vector<std::byte> message(lines[i].size() + kBlockBytes);
    const stream::DecodedText decoded = decode_text(lines[i], row.encoding, message);
    message.resize(decoded ? decoded.bytes : 0);
    if (message.empty()) ++damaged;
    if (!message.empty() && i % step == 0) some.messages.push_back(std::move(message));
  }
  if (some.messages.empty() || damaged * kLeastWholeLines > lines.size()) return std::nullopt;
  some.may_be_wrapped = is_wrapped(lines, is_all) && !starts_with(some.messages.back(), kSalted);
  return some;
}

bool is_hex(std::string_view text) {
  return !text.empty() && text.size() % 2 == 0 &&
         std::ranges::all_of(text, [](char c) { return stream::hex_digit(c) >= 0; });
}

GuessedKey key_of(std::span<const std::byte> bytes, const RawParameters& how, GuessedKey key) {
  key.key = raw_key(how, auth::SecretBytes(bytes));
  return key;
}

void add_decoded(std::string_view text, std::vector<GuessedKey>& into) {
  const auto add = [&](std::string prefix, std::vector<std::byte> bytes) {
    if (bytes.empty()) return;
    into.push_back(key_of(bytes, {}, {.key = {}, .prefix = std::move(prefix), .options = "", .prior = 0.1}));
    core::wipe(bytes.data(), bytes.size());
  };
  if (is_hex(text)) add("hex-", *parse_hex(text));
  if (auto bytes = parse_base64(text)) add("base64-", *std::move(bytes));
}

// Whether a wrong IV spoils the first 8 bytes alone.
bool is_self_synchronising(Mode mode) {
  return mode == Mode::cbc || mode == Mode::cfb64 || mode == Mode::cfb8;
}

std::vector<Recipe> openssl_recipes(double share) {
  std::vector<Recipe> all;
  for (const DerivationRow& row : kDerivations) {
    for (const ModeRow& mode : kCipherModes) {
      Recipe recipe{.derivation = row.derivation, .digest = row.digest, .iterations = row.iterations};
      recipe.key_bytes = kOpensslKeyBytes;
      recipe.mode = mode.mode;
      recipe.padding = mode::is_padded(mode.mode) ? Padding::pkcs7 : Padding::none;
      recipe.prior = share * row.prior * mode.prior;
      all.push_back(recipe);
    }
  }
  return all;
}

void add_crypt_cbc(std::vector<Recipe>& into) {
  for (const DerivationRow& row : {DerivationRow{Derivation::bytes_to_key, "md5", 1, 0.5},
                                   DerivationRow{Derivation::bytes_to_key, "sha256", 1, 0.15},
                                   DerivationRow{Derivation::pbkdf2, "sha256", kCryptCbcIterations, 0.35}}) {
    add_crypt_cbc_recipes({.derivation = row.derivation,
                           .digest = row.digest,
                           .iterations = row.iterations,
                           .prior = row.prior * kCryptCbcShare},
                          {}, into);
  }
}

}  // namespace

std::vector<Spelled> spellings(std::span<const std::byte> bytes, bool is_all, std::size_t most_lines) {
  std::string_view text = text_of(bytes);
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<Spelled> all;
  const auto add = [&](std::optional<Spelled> one) {
    if (one && !one->messages.front().empty() &&
        std::ranges::count(all, one->messages, &Spelled::messages) == 0)
      all.push_back(*std::move(one));
  };
  for (const SpellingRow& row : kSpellings) {
    const bool is_text = row.encoding != TextEncoding::binary;
    auto lines = is_text ? spelled_lines(text, is_all, row, most_lines) : std::nullopt;
    const double share = lines ? 0.5 : 1;
    if (lines) lines->prior *= share;
    add(std::move(lines));
    if (row.encoding == TextEncoding::signed_hex && !is_all) continue;  // its end counts
    auto one = spelled(bytes, is_all, row);
    if (!one) continue;
    one->prior *= share;
    one->is_refused_in_blocks = is_text && looks_like_many(text, is_all, row.encoding, true);
    one->is_refused_in_streams = is_text && looks_like_many(text, is_all, row.encoding, false);
    add(std::move(one));
  }
  return all;
}

std::vector<GuessedKey> keys(const auth::SecretBytes& secret, bool is_decoded) {
  std::vector<GuessedKey> all;
  all.push_back(key_of(secret.span(), {}, {.key = {}, .prefix = "", .options = "", .prior = 0.55}));
  if (!is_decoded) add_decoded(trimmed(text_of(secret.span())), all);
  if (secret.size() < kFilledBytes) {
    RawParameters filled;
    filled.key_fill = kFilledBytes;
    all.push_back(
        key_of(secret.span(), filled, {.key = {}, .prefix = "", .options = "--key-fill 16", .prior = 0.08}));
  }
  for (const HashRow& row : kHashes) {
    RawParameters hashed;
    hashed.key_hash = row.name;
    all.push_back(key_of(
        secret.span(), hashed,
        {.key = {}, .prefix = "", .options = std::string("--key-hash ") + row.name, .prior = row.prior}));
  }
  if (secret.size() > 1 && secret.span().back() == std::byte{'\n'})
    all.push_back(
        key_of(secret.span().first(secret.size() - 1), {},
               {.key = {},
                .prefix = "",
                .options = "",
                .prior = 0.03,
                .remark = "under the key without the line feed at its end: take it out by tr -d '\\n'"}));
  return all;
}

std::vector<GuessedIv> ivs(const std::string& given) {
  std::vector<GuessedIv> all{{.origin = IvOrigin::none, .options = ""}};
  for (const IvRow& row : kIvs) {
    if (!given.empty() && given != row.value) continue;
    all.push_back({.origin = row.origin,
                   .options = " --iv " + std::string(row.value),
                   .prior = given.empty() ? row.prior : 1});
  }
  if (given.empty())
    all.push_back({.origin = IvOrigin::unknown, .options = " --iv zero", .prior = kUnknownIvPrior});
  if (all.size() > 1) return all;
  const mode::Iv iv = parse_iv(given);
  all.push_back({.origin = IvOrigin::value, .options = " --iv " + hex_text(iv), .prior = 1, .iv = iv});
  return all;
}

std::vector<Recipe> raw_recipes(IvOrigin origin, ByteOrder words, std::size_t data_bytes, double prior) {
  std::vector<Recipe> all;
  for (const ModeRow& mode : kModes) {
    if ((mode.mode == Mode::ecb) != (origin == IvOrigin::none)) continue;
    if (origin == IvOrigin::unknown && !is_self_synchronising(mode.mode)) continue;
    for (const PaddingRow& row : kPaddings) {
      const double of_padding = mode::is_padded(mode.mode) ? row.prior : row.prior_in_stream;
      const bool is_residual = row.padding == Padding::residual;
      if (of_padding == 0 || (is_residual && (mode.mode != Mode::cbc || data_bytes % kBlockBytes == 0)))
        continue;
      Recipe recipe{.derivation = Derivation::literal, .digest = ""};
      recipe.mode = mode.mode;
      recipe.padding = row.padding;
      recipe.words = words;
      recipe.counter = mode.counter;
      recipe.prior = prior * mode.prior * of_padding;
      all.push_back(recipe);
    }
  }
  return all;
}

bool fits_parts(const Recipe& recipe) {
  const bool is_seen_anywhere =
      recipe.mode == Mode::ecb || recipe.mode == Mode::pcbc || is_self_synchronising(recipe.mode);
  return is_seen_anywhere && !mode::always_pads(recipe.padding);
}

std::string raw_options(const Recipe& recipe) {
  std::string text = "--format raw --mode " + std::string(mode::name_of(recipe.mode));
  const Padding usual = mode::is_padded(recipe.mode) ? Padding::pkcs7 : Padding::none;
  if (recipe.padding != usual) text += " --pad " + std::string(raw_padding_name(recipe.padding));
  if (recipe.words == ByteOrder::little) text += " --words le";
  if (recipe.counter == ByteOrder::little) text += " --counter le";
  return text;
}

std::vector<GuessedSalt> salts(std::span<const std::byte> data, const std::vector<std::byte>& given) {
  if (!given.empty())
    return {{" --salt " + hex_text(given), 0, {.salt = given, .iv = {}}, openssl_recipes(1)}};
  constexpr std::size_t kHeaderBytes = kSalted.size() + kSaltBytes;
  if (!starts_with(data, kSalted) || data.size() < kHeaderBytes)
    return {{" --nosalt", 0, {}, openssl_recipes(1)}};
  GuessedSalt salted{"", kHeaderBytes, {}, openssl_recipes(1 - kCryptCbcShare)};
  const auto salt = data.subspan(kSalted.size(), kSaltBytes);
  salted.input.salt.assign(salt.begin(), salt.end());
  add_crypt_cbc(salted.recipes);
  return {salted};
}

std::string passphrase_options(const Recipe& recipe, const GuessedSalt& salt) {
  return (recipe.is_crypt_cbc ? "" : "--format openssl ") + salted_flags(recipe) + salt.options;
}

}  // namespace fugu::format
