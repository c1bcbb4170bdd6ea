#include "fugu/format/guess/detail/axes.hpp"

#include <algorithm>
#include <cmath>

#include "fugu/format/detail/characters.hpp"
#include "fugu/format/detail/recipes.hpp"
#include "fugu/format/lines/lines.hpp"
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
    SpellingRow{TextEncoding::hex, "⟦hex⟧ ", 0.6}, SpellingRow{TextEncoding::base64, "⟦a⟧ ", 0.25},
    SpellingRow{TextEncoding::signed_hex, "⟦signed-hex⟧ ", 0.05}, SpellingRow{TextEncoding::binary, "", 0.1}};

// Ways to make a key, and what may come behind each.
struct KeyRow {
  std::string_view steps;
  double prior;
  bool is_cut = true;
  bool is_filled = false;
};
constexpr std::array kKeys{KeyRow{"", 0.45, true, true},
                           KeyRow{"hex", 0.1, true, true},
                           KeyRow{"base64", 0.1, true, true},
                           KeyRow{"chomp", 0.03, true, true},
                           KeyRow{"md5", 0.05},
                           KeyRow{"sha1", 0.03},
                           KeyRow{"sha256", 0.04},
                           KeyRow{"sha512", 0.01},
                           KeyRow{"ripemd160", 0.01},
                           KeyRow{"md5,digits", 0.02},
                           KeyRow{"md5,digits,upper", 0.004},
                           KeyRow{"sha1,digits", 0.005},
                           KeyRow{"sha1,digits,upper", 0.001},
                           KeyRow{"sha256,digits", 0.008},
                           KeyRow{"sha256,digits,upper", 0.001},
                           KeyRow{"utf16le", 0.004, true, true},
                           KeyRow{"utf16be", 0.001, true, true},
                           KeyRow{"lf", 0.003, false},
                           KeyRow{"crlf", 0.001, false},
                           KeyRow{"nul", 0.002, false},
                           KeyRow{"u64le", 0.001, false},
                           KeyRow{"u64be", 0.001, false},
                           KeyRow{"sha1,fillff32", 0.001, false}};  // DCPcrypt 1
constexpr double kUsualKeyPrior = 0.01;

struct SizeRow {
  std::string_view step;
  bool is_cut;
  double share;  // of the row's prior
};
constexpr std::array kSizes{SizeRow{"fill16", false, 0.15},  SizeRow{"fill32", false, 0.01},
                            SizeRow{"fill56", false, 0.005}, SizeRow{"cut16", true, 0.02},
                            SizeRow{"cut8", true, 0.005},    SizeRow{"cut24", true, 0.005},
                            SizeRow{"cut32", true, 0.01},    SizeRow{"cut56", true, 0.005}};

struct IvRow {
  std::string_view value;
  double prior;
  bool is_usual = true;
};
constexpr std::array kIvs{IvRow{"zero", 0.27},
                          IvRow{"prefix", 0.37},
                          IvRow{"key", 0.05},
                          IvRow{"key:md5,digits", 0.003, false},
                          IvRow{"key:md5", 0.003, false},
                          IvRow{"openpgp", 0.02, false},
                          IvRow{"encrypted-zero", 0.06, false},
                          IvRow{"encrypted-ff", 0.01, false}};
constexpr double kOwnKeyIvPrior = 0.02;
constexpr double kUnknownIvPrior = 0.19;
constexpr double kWrongIvPrior = 1.0 / 64;  // of one that is given

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
constexpr std::array kPaddings{PaddingRow{Padding::pkcs7, 0.5, 0.004},
                               PaddingRow{Padding::zero, 0.2, 0},
                               PaddingRow{Padding::none, 0.1, 0.993},
                               PaddingRow{Padding::space, 0.05, 0},
                               PaddingRow{Padding::one_and_zeros, 0.05, 0.001},
                               PaddingRow{Padding::x923, 0.04, 0.001},
                               PaddingRow{Padding::iso10126, 0.03, 0.001},
                               PaddingRow{Padding::one_and_zeros_or_none, 0.02, 0},
                               PaddingRow{Padding::residual, 0.01, 0},
                               PaddingRow{Padding::clear_rest, 0.005, 0},
                               PaddingRow{Padding::cs3, 0.004, 0},
                               PaddingRow{Padding::cs1, 0.001, 0}};

std::optional<Spelled> spelled(std::span<const std::byte> text, bool is_all, const SpellingRow& row) {
  std::vector<std::byte> data(kGuessBytes + 1);
  const bool is_stored = row.encoding == TextEncoding::binary && are_stored_as_utf8(text);
  try {
    const auto source = decoded(std::make_unique<stream::MemorySource>(text),
                                is_stored ? TextEncoding::stored_as_utf8 : row.encoding);
    data.resize(source->read(data));
  } catch (const Error& error) {
    if (!concerns_input(error)) throw;
    return std::nullopt;
  }
  is_all = is_all && data.size() <= kGuessBytes;
  return Spelled{.options = std::string(row.options),
                 .prior = row.prior,
                 .messages = {std::move(data)},
                 .is_all = is_all};
}

// That a number which stands for so many bytes is so short: each digit in front is left out once in 16.
double chance_of_number(std::string_view text, std::span<const std::byte> data) {
  const auto digits = std::ranges::count_if(text, [](char c) { return stream::hex_digit(c) >= 0; });
  return std::exp2(4 * std::min(0.0, static_cast<double>(digits) - 2 * static_cast<double>(data.size())));
}

// In modes of whole blocks, or in the others: only the form of the messages counts, whatever the cipher.
bool looks_like_many(std::string_view text, bool is_all, TextEncoding encoding, bool has_whole_blocks) {
  const mode::Settings settings{.mode = has_whole_blocks ? Mode::ecb : Mode::ctr, .padding = Padding::none};
  const auto cipher = [&](std::span<const core::WipedBytes>) {
    return raw_messages({.settings = settings}, true, auth::SecretBytes("any"), mode::Direction::decrypt);
  };
  return !why_many_messages(text, is_all, encoding, cipher).empty();
}

// Each line by itself; empty where they are no messages.
std::optional<Spelled> spelled_lines(std::string_view text, bool is_all, const SpellingRow& row,
                                     std::size_t most) {
  const std::vector<std::string_view> lines = lines_of(text, is_all);
  if (lines.size() < 2) return std::nullopt;
  Spelled some{.options = "⟦lines⟧ " + std::string(row.options),
               .prior = row.prior,
               .messages = {},
               .are_lines = true};
  const std::size_t step = (lines.size() + most - 1) / most;
  std::size_t damaged = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::vector<std::byte> message(lines[i].size() + kBlockBytes);
    const stream::DecodedText decoded = decode_text(lines[i], row.encoding, message);
    message.resize(decoded ? decoded.bytes : 0);
    if (message.empty()) ++damaged;
    if (!message.empty() && i % step == 0) some.messages.push_back(std::move(message));
  }
  if (some.messages.empty() || are_too_many(damaged, lines.size())) return std::nullopt;
  some.may_be_wrapped = is_wrapped(lines, is_all) && !starts_with(some.messages.back(), kSalted);
  return some;
}

// Whether a wrong IV spoils the first 8 bytes alone.
bool is_self_synchronising(Mode mode) {
  return mode == Mode::cbc || mode == Mode::cfb64 || mode == Mode::cfb8;
}

// Whether the padding makes anything of its own of data of this size.
bool has_end(Mode mode, Padding padding, std::size_t data_bytes) {
  if (!mode::can_end_so(mode, padding)) return false;
  if (mode::steals(padding) && data_bytes <= kBlockBytes) return false;
  return !mode::keeps_length(padding) || padding == Padding::cs3 || data_bytes % kBlockBytes != 0;
}

// `value`: of the option.
GuessedIv guessed_iv(std::string_view value, double prior) {
  GuessedIv one{.options = " ⟦iv " + std::string(value) + "⟧", .prior = prior};
  set_raw_iv(value, one.how);
  if (one.how.iv_place == IvPlace::given && value != "zero")
    one.options = " ⟦iv " + hex_text(*one.how.settings.iv) + "⟧";
  return one;
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
  const bool is_digits = encoding_of(text) != TextEncoding::binary;
  for (const SpellingRow& row : kSpellings) {
    const bool is_text = row.encoding != TextEncoding::binary;
    if (is_digits && !is_text) continue;  // decrypt refuses them without the option
    auto lines = is_text ? spelled_lines(text, is_all, row, most_lines) : std::nullopt;
    const double share = lines ? 0.5 : 1;
    if (lines) lines->prior *= share;
    add(std::move(lines));
    if (row.encoding == TextEncoding::signed_hex && !is_all) continue;  // its end counts
    auto one = spelled(bytes, is_all, row);
    if (!one) continue;
    one->prior *= share;
    if (row.encoding == TextEncoding::signed_hex) one->prior *= chance_of_number(text, one->messages.front());
    for (const bool has_whole_blocks : {false, true})
      one->is_refused[has_whole_blocks] =
          is_text && looks_like_many(text, is_all, row.encoding, has_whole_blocks);
    add(std::move(one));
  }
  return all;
}

std::vector<GuessedKey> keys(const auth::SecretBytes& secret) {
  std::vector<GuessedKey> all;
  const auto add = [&](std::string steps, double prior) {
    RawParameters how;
    how.key_steps = steps;
    GuessedKey one;
    one.steps = std::move(steps);
    one.prior = prior;
    one.is_usual = prior >= kUsualKeyPrior;
    try {
      one.key = raw_key(how, secret);
    } catch (const Error&) {  // no digits, no number
      return;
    }
    if (std::ranges::any_of(all, [&](const GuessedKey& other) {
          return std::ranges::equal(one.key.span(), other.key.span());
        }))
      return;
    cipher::expand(one.key.span(), one.schedule);
    if (!one.steps.empty()) one.own_iv = guessed_iv("key:" + one.steps, kOwnKeyIvPrior);
    all.push_back(std::move(one));
  };
  for (const KeyRow& row : kKeys) add(std::string(row.steps), row.prior);
  for (const KeyRow& row : kKeys) {
    for (const SizeRow& size : kSizes) {
      if (size.is_cut ? row.is_cut : row.is_filled)
        add(std::string(row.steps) + (row.steps.empty() ? "" : ",") + std::string(size.step),
            row.prior * size.share);
    }
  }
  return all;
}

std::vector<GuessedIv> ivs(const std::string& given) {
  std::vector<GuessedIv> all{{.is_none = true}};
  if (!given.empty()) {
    all.push_back(guessed_iv(given, 1));
    if (raw_header_bytes(all.back().how.iv_place) != 0) return all;
    all.push_back(guessed_iv(given, kWrongIvPrior));
    all.back().is_unknown = true;
    return all;
  }
  all.push_back(guessed_iv("zero", kUnknownIvPrior));
  all.back().is_unknown = true;
  for (const IvRow& row : kIvs) {
    all.push_back(guessed_iv(row.value, row.prior));
    all.back().is_usual = row.is_usual;
  }
  return all;
}

std::vector<Recipe> raw_recipes(const GuessedIv& iv, ByteOrder words, std::size_t data_bytes, double prior) {
  std::vector<Recipe> all;
  for (const ModeRow& mode : kModes) {
    if ((mode.mode == Mode::ecb) != iv.is_none) continue;
    if (iv.is_unknown && !is_self_synchronising(mode.mode)) continue;
    if (iv.how.iv_place == IvPlace::openpgp && mode.mode != Mode::cfb64) continue;
    for (const PaddingRow& row : kPaddings) {
      const double of_padding = mode::is_padded(mode.mode) ? row.prior : row.prior_in_stream;
      if (of_padding == 0 || !has_end(mode.mode, row.padding, data_bytes)) continue;
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

std::string options_of(const Recipe& recipe) {
  if (recipe.derivation != Derivation::literal)
    return (recipe.is_crypt_cbc ? "" : "⟦format openssl⟧ ") + recipe_options(recipe);
  std::string text = "⟦format raw⟧ ⟦mode " + std::string(mode::name_of(recipe.mode)) + "⟧";
  const Padding usual = mode::is_padded(recipe.mode) ? Padding::pkcs7 : Padding::none;
  if (recipe.padding != usual) text += " ⟦pad " + std::string(raw_padding_name(recipe.padding)) + "⟧";
  if (recipe.words == ByteOrder::little) text += " ⟦words le⟧";
  if (recipe.counter == ByteOrder::little) text += " ⟦counter le⟧";
  return text;
}

GuessedSalt salt_of(std::span<const std::byte> data, const GuessGiven& given) {
  if (!given.iv.empty()) {  // of Crypt::CBC without a header
    const mode::Iv iv = parse_iv(given.iv, kIvValues);
    GuessedSalt unsalted{" ⟦iv " + hex_text(iv) + "⟧", 0, {.salt = {}, .iv = iv}, {}};
    for (const Recipe& recipe : derivations_of(&DerivationRow::random_iv))
      add_crypt_cbc_recipes(recipe, {}, unsalted.recipes);
    return unsalted;
  }
  constexpr std::size_t kHeaderBytes = kSalted.size() + kSaltBytes;
  const bool has_header = given.salt.empty() && starts_with(data, kSalted) && data.size() >= kHeaderBytes;
  GuessedSalt salted{"", 0, {}, openssl_recipes({.has_header = has_header, .of_any_program = true})};
  if (has_header) {
    salted.header_bytes = kHeaderBytes;
    const auto salt = data.subspan(kSalted.size(), kSaltBytes);
    salted.input.salt.assign(salt.begin(), salt.end());
  } else {
    salted.input.salt = given.salt;
    salted.options = given.salt.empty() ? " ⟦nosalt⟧" : " ⟦salt " + hex_text(given.salt) + "⟧";
  }
  return salted;
}

}  // namespace fugu::format
