// Options of formats: rows that describe them, and values checked against the rows once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/export.hpp"

namespace fugu::format {

enum class OptionType : std::uint8_t {
  flag,    // given or not
  text,    // any text
  word,    // one of OptionRow::words
  number,  // decimal
  bytes,   // hexadecimal digits of at_least to at_most bytes
};

enum class OptionUse : std::uint8_t { open, seal, both, rekey };

struct FUGU_EXPORT OptionRow {
  std::string_view name;  // without dashes: "key-bytes"
  OptionType type = OptionType::flag;
  std::string_view value = {};  // what help calls the value: "N"; empty for flags
  std::string_view help = {};
  OptionUse use = OptionUse::both;
  std::span<const std::string_view> words = {};  // word: the choices, also for shell completion
  std::uint64_t at_least = 0;                    // number, bytes
  std::uint64_t at_most = std::numeric_limits<std::uint64_t>::max();
  bool by_format = false;   // word: formats have different ones, and the recognised format decides
  bool from_file = false;   // bytes: the program's user names a file that holds them
  bool rekeys = false;      // Codec::rekey reads it too
  bool hashes_key = false;  // given, the key may be of any length: its digest is used
  bool names_format =
      false;  // given without a format's name, it implies this one, whose files are not recognised
};

// Rows of each type. `shown` is the option as help shows it, without dashes: "key-bytes N".
constexpr OptionRow option_row(std::string_view shown, OptionType type, std::string_view help,
                               OptionUse use) {
  const std::size_t blank = std::min(shown.find(' '), shown.size());
  const std::string_view value = shown.substr(std::min(blank + 1, shown.size()));
  return {.name = shown.substr(0, blank), .type = type, .value = value, .help = help, .use = use};
}

constexpr OptionRow flag_option(std::string_view shown, std::string_view help,
                                OptionUse use = OptionUse::both) {
  return option_row(shown, OptionType::flag, help, use);
}

constexpr OptionRow text_option(std::string_view shown, std::string_view help,
                                OptionUse use = OptionUse::both) {
  return option_row(shown, OptionType::text, help, use);
}

constexpr OptionRow word_option(std::string_view shown, std::span<const std::string_view> words,
                                std::string_view help, OptionUse use = OptionUse::both) {
  OptionRow row = option_row(shown, OptionType::word, help, use);
  row.words = words;
  return row;
}

struct OptionBounds {
  std::uint64_t at_least = 0;
  std::uint64_t at_most = std::numeric_limits<std::uint64_t>::max();
};

constexpr OptionRow number_option(std::string_view shown, OptionBounds bounds, std::string_view help,
                                  OptionUse use = OptionUse::both) {
  OptionRow row = option_row(shown, OptionType::number, help, use);
  row.at_least = bounds.at_least;
  row.at_most = bounds.at_most;
  return row;
}

constexpr OptionRow bytes_option(std::string_view shown, OptionBounds bounds, std::string_view help,
                                 OptionUse use = OptionUse::both) {
  OptionRow row = number_option(shown, bounds, help, use);
  row.type = OptionType::bytes;
  return row;
}

// `row` with one of its flags: &OptionRow::names_format.
constexpr OptionRow marked(OptionRow row, bool OptionRow::*flag) {
  row.*flag = true;
  return row;
}

// The options given for one codec. Formats that share an option's name share its type.
class FUGU_EXPORT OptionValues {
 public:
  explicit OptionValues(std::span<const OptionRow> rows = {}) : rows_(rows) {}

  // `text` is ignored for flags. Throws Error{usage} for a name without a row and for a value outside the
  // row's bounds; texts call the option ⟦name⟧.
  void set(std::string_view name, std::string_view text = {});

  bool has(std::string_view name) const { return values_.count(name) != 0; }
  std::optional<std::string> text(std::string_view name) const;  // text and word
  std::optional<std::uint64_t> number(std::string_view name) const;
  std::optional<std::vector<std::byte>> bytes(std::string_view name) const;

  // Throws Error{usage} naming both when two of the options are given.
  void refuse_together(std::initializer_list<std::string_view> names) const;

 private:
  std::span<const OptionRow> rows_;
  std::map<std::string, std::string, std::less<>> values_;
};

// "4096", "64K", "64KiB", and M, MiB, G, GiB: powers of 1024. Empty for any other text and beyond 64 bits.
FUGU_EXPORT std::optional<std::uint64_t> parse_size(std::string_view text);

// Decimal digits alone; empty for any other text and beyond 64 bits. Private to format and the program.
std::optional<std::uint64_t> parse_number(std::string_view text);

// Hexadecimal digits in either case, two per byte; empty for any other text.
FUGU_EXPORT std::optional<std::vector<std::byte>> parse_hex(std::string_view digits);

// The same for exactly `into.size()` bytes; false for any other text.
FUGU_EXPORT bool parse_hex(std::string_view digits, std::span<std::byte> into) noexcept;

// Lower-case digits, two per byte.
FUGU_EXPORT std::string hex_text(std::span<const std::byte> bytes);

// The one of `words` nearest to `given`: one is a prefix of the other, or few letters were changed, added,
// omitted or swapped. Empty if none is near.
FUGU_EXPORT std::optional<std::string_view> nearest_word(std::string_view given,
                                                         std::span<const std::string_view> words);

}  // namespace fugu::format
