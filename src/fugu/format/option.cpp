#include "fugu/format/option.hpp"

#include <charconv>

#include "fugu/format/detail/codecs.hpp"
#include "fugu/stream/hex.hpp"

namespace fugu::format {
namespace {

[[noreturn]] void refuse(const OptionRow& row, const std::string& what) {
  throw Error(Errc::usage, "⟦" + std::string(row.name) + "⟧ takes " + what);
}

// An argument may hold anything, and the text of an error goes to a terminal.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    result += is_control ? "\\x" + hex_text(std::as_bytes(std::span(&c, 1))) : std::string(1, c);
  }
  return result;
}

// Names that other programs have for a mode or padding, and what they are here, where no letters say so.
struct OtherName {
  std::string_view given;
  std::string_view word;
  std::string_view hint;  // empty: the word is what was meant
};
constexpr OtherName kOtherNames[] = {
    {"null", "zero", ""},
    {"zero", "null", ""},
    {"pkcs5", "standard", ""},
    {"pkcs7", "standard", ""},
    {"standard", "pkcs7", ""},
    {"nopadding", "none", ""},
    {"cfb64", "ncfb", ""},
    {"ofb64", "nofb", ""},
    {"ncfb", "cfb", ""},
    {"nofb", "ofb", ""},
    {"cfb8", "ncfb", "cfb is the 8-bit mode here"},
    {"ofb8", "nofb", "ofb is the 8-bit mode here"},
    {"ansix923", "x923", ""},
    {"iso7816", "oneandzeroes", ""},
};

bool has_word(const OptionRow& row, std::string_view word) {
  return std::ranges::find(row.words, word) != row.words.end();
}

// "mcrypt or raw": the formats whose option of this name has the word.
std::string owners_of(std::string_view option, std::string_view word) {
  std::vector<const Codec*> owners;
  for (const Codec* codec : codecs()) {
    const bool owns = std::ranges::any_of(
        codec->options, [&](const OptionRow& row) { return row.name == option && has_word(row, word); });
    if (owns) owners.push_back(codec);
  }
  return names_of(owners);
}

// What was probably meant by a word that the row does not have; empty if nothing is near.
std::string near_word(const OptionRow& row, std::string_view given) {
  const auto other = std::ranges::find_if(
      kOtherNames, [&](const OtherName& name) { return name.given == given && has_word(row, name.word); });
  const bool is_known = other != std::end(kOtherNames);
  if (is_known && !other->hint.empty()) return " (" + std::string(other->hint) + ")";
  if (is_known) return " (did you mean " + std::string(other->word) + "?)";
  const std::string owners = owners_of(row.name, given);
  if (!owners.empty()) return "; " + std::string(given) + " belongs to ⟦format " + owners + "⟧";
  const auto nearest = nearest_word(given, row.words);
  return nearest ? " (did you mean " + std::string(*nearest) + "?)" : "";
}

void check_number(const OptionRow& row, std::string_view text) {
  const std::optional<std::uint64_t> number = parse_number(text);
  if (!number || *number < row.at_least || *number > row.at_most) {
    refuse(row, "a number from " + std::to_string(row.at_least) + " to " + std::to_string(row.at_most));
  }
}

void check_bytes(const OptionRow& row, std::string_view text) {
  const std::optional<std::vector<std::byte>> bytes = parse_hex(text);
  if (bytes && bytes->size() >= row.at_least && bytes->size() <= row.at_most) return;
  const std::string most = std::to_string(2 * row.at_most);
  refuse(row, (row.at_least == row.at_most ? most : std::to_string(2 * row.at_least) + " to " + most) +
                  " hexadecimal digits");
}

// Optimal string alignment distance: letters changed, added or omitted, and neighbours swapped.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const std::size_t changed = a[i - 1] == b[j - 1] ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + changed});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

constexpr std::size_t kMinPrefix = 3;

bool begins_alike(std::string_view a, std::string_view b) {
  return std::min(a.size(), b.size()) >= kMinPrefix && (a.starts_with(b) || b.starts_with(a));
}

}  // namespace

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  constexpr std::string_view kUnits = "KMG";
  if (text.ends_with("iB")) {
    text.remove_suffix(2);
    if (text.empty() || kUnits.find(text.back()) == std::string_view::npos) return std::nullopt;
  }
  const std::size_t unit = text.empty() ? std::string_view::npos : kUnits.find(text.back());
  if (unit == std::string_view::npos) return parse_number(text);
  text.remove_suffix(1);
  const std::optional<std::uint64_t> number = parse_number(text);
  const std::size_t shift = 10 * (unit + 1);
  if (!number || *number > std::numeric_limits<std::uint64_t>::max() >> shift) return std::nullopt;
  return *number << shift;
}

std::optional<std::vector<std::byte>> parse_hex(std::string_view digits) {
  std::vector<std::byte> bytes(digits.size() / 2);
  return parse_hex(digits, bytes) ? std::optional(std::move(bytes)) : std::nullopt;
}

bool parse_hex(std::string_view digits, std::span<std::byte> into) noexcept {
  return digits.size() == 2 * into.size() && stream::decode_hex_pairs(digits, into) == into.size();
}

std::string hex_text(std::span<const std::byte> bytes) {
  std::string text(2 * bytes.size(), '\0');
  stream::encode_hex(bytes, text.data());
  return text;
}

void OptionValues::set(std::string_view name, std::string_view text) {
  const auto row = std::ranges::find(rows_, name, &OptionRow::name);
  if (row == rows_.end()) throw Error(Errc::usage, "⟦" + std::string(name) + "⟧ has no meaning here");
  if (row->type == OptionType::number) check_number(*row, text);
  if (row->type == OptionType::bytes) check_bytes(*row, text);
  if (row->type == OptionType::word && !has_word(*row, text))
    refuse(*row, joined(row->words, ", ") + ", not '" + escaped(text) + "'" + near_word(*row, text));
  values_.insert_or_assign(std::string(name), std::string(text));
}

std::optional<std::string> OptionValues::text(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::uint64_t> OptionValues::number(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::nullopt : parse_number(found->second);
}

std::optional<std::vector<std::byte>> OptionValues::bytes(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::nullopt : parse_hex(found->second);
}

void OptionValues::refuse_together(std::initializer_list<std::string_view> names) const {
  std::string_view first;
  for (const std::string_view name : names) {
    if (!has(name)) continue;
    if (!first.empty()) {
      throw Error(Errc::usage, "⟦" + std::string(first) + "⟧ and ⟦" + std::string(name) +
                                   "⟧ cannot be combined: give one of them");
    }
    first = name;
  }
}

std::optional<std::string_view> nearest_word(std::string_view given,
                                             std::span<const std::string_view> words) {
  constexpr std::size_t kLongest = 32;  // longer than any word with a few letters added
  if (given.size() > kLongest) return std::nullopt;
  std::optional<std::string_view> best;
  std::size_t least = given.size() / 4 + 2;  // with more different letters it is another word
  for (const std::string_view word : words) {
    const std::size_t apart = begins_alike(given, word) ? 1 : distance(given, word);
    if (apart >= least || apart >= word.size()) continue;
    least = apart;
    best = word;
  }
  return best;
}

}  // namespace fugu::format
