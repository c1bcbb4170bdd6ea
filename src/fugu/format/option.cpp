#include "fugu/format/option.hpp"

#include <algorithm>
#include <charconv>

#include "fugu/error.hpp"

namespace fugu::format {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

[[noreturn]] void refuse(const OptionRow& row, const std::string& what) {
  throw Error(Errc::usage, "--" + std::string(row.name) + " takes " + what);
}

std::string joined(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Makes an argument printable: it may hold anything, and the text of an error goes to a terminal.
std::string printable(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      result += c;
    } else {
      result += {'\\', 'x', kHexDigits[byte >> 4], kHexDigits[byte & 15]};
    }
  }
  return result;
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

}  // namespace

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

std::optional<std::vector<std::byte>> parse_hex(std::string_view digits) try {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const int high = hex_digit(digits[i]);
    const int low = hex_digit(digits[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<std::byte>(16 * high + low));
  }
  return bytes;
} catch (...) {
  rethrow_as_error();
}

std::string hex_text(std::span<const std::byte> bytes) try {
  std::string text;
  for (const std::byte byte : bytes) {
    text += kHexDigits[std::to_integer<std::size_t>(byte) >> 4];
    text += kHexDigits[std::to_integer<std::size_t>(byte) & 15];
  }
  return text;
} catch (...) {
  rethrow_as_error();
}

void OptionValues::set(std::string_view name, std::string_view text) {
  with_errors_only([&] {
    const auto row = std::ranges::find(rows_, name, &OptionRow::name);
    if (row == rows_.end()) throw Error(Errc::usage, "--" + std::string(name) + " has no meaning here");
    if (row->type == OptionType::number) check_number(*row, text);
    if (row->type == OptionType::bytes) check_bytes(*row, text);
    if (row->type == OptionType::word && std::ranges::find(row->words, text) == row->words.end()) {
      refuse(*row, joined(row->words) + ", not '" + printable(text) + "'");
    }
    values_.insert_or_assign(std::string(name), std::string(text));
  });
}

std::optional<std::string> OptionValues::text(std::string_view name) const try {
  const auto found = values_.find(name);
  if (found == values_.end()) return std::nullopt;
  return found->second;
} catch (...) {
  rethrow_as_error();
}

std::optional<std::uint64_t> OptionValues::number(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::nullopt : parse_number(found->second);
}

std::optional<std::vector<std::byte>> OptionValues::bytes(std::string_view name) const try {
  const auto found = values_.find(name);
  return found == values_.end() ? std::nullopt : parse_hex(found->second);
} catch (...) {
  rethrow_as_error();
}

void OptionValues::refuse_together(std::initializer_list<std::string_view> names) const try {
  std::string_view first;
  for (const std::string_view name : names) {
    if (!has(name)) continue;
    if (!first.empty()) {
      throw Error(Errc::usage,
                  "--" + std::string(first) + " and --" + std::string(name) + " cannot be combined");
    }
    first = name;
  }
} catch (...) {
  rethrow_as_error();
}

}  // namespace fugu::format
