// The part of a text that may reach a terminal, and the exit status of a failure.
#include <algorithm>
#include <span>

#include "cli/process/console.hpp"
#include "fugu/stream/hex.hpp"
#include "fugu/stream/utf8.hpp"

namespace fugu::cli {
namespace {

// Takes a character off a text that is not empty, or one byte that belongs to none.
std::optional<char32_t> take_character(std::string_view& text) {
  auto bytes = std::as_bytes(std::span(text));
  const std::optional<char32_t> character = stream::take_utf8(bytes);
  text.remove_prefix(character ? text.size() - bytes.size() : 1);
  return character;
}

// False for controls (C0, DEL, C1), line and paragraph separators, and changes of the writing direction.
bool is_harmless(char32_t code) {
  const bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029;
  const bool turns = code == 0x61c || code == 0x200e || code == 0x200f ||
                     (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return !is_control && !turns;
}

// Whether `text` is the beginning of a character.
bool is_begun(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  return text.size() < bytes &&
         std::ranges::all_of(text.substr(1), [](char c) { return (c & 0xc0) == 0x80; });
}

}  // namespace

std::string printable(std::string_view given) {
  const std::string spelled_text = spelled(given, Spelling::program);
  std::string_view text = spelled_text;
  std::string result;
  while (!text.empty()) {
    const std::string_view rest = text;
    const std::optional<char32_t> character = take_character(text);
    for (const char c : rest.substr(0, rest.size() - text.size())) {
      if (character && is_harmless(*character)) {
        result += c;
      } else {
        char digits[2];
        stream::encode_hex(std::as_bytes(std::span(&c, 1)), digits);
        result.append("\\x").append(digits, sizeof digits);
      }
    }
  }
  return result;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted(1, '"');
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

std::optional<std::size_t> harmless_bytes(std::string_view text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t before = rest.size();
    const std::optional<char32_t> character = take_character(rest);
    if (!character && is_begun(text.substr(text.size() - before))) return text.size() - before;
    const bool is_space = character == U'\t' || character == U'\n' || character == U'\r';
    if (!is_space && !(character && is_harmless(*character))) return std::nullopt;
  }
  return text.size();
}

int exit_status(Errc code) noexcept {
  constexpr int kStatuses[] = {1, 2, 3, 4, 5, 6, 6, 7, 130, 2, kUndecided};  // in the order of Errc
  static_assert(std::size(kStatuses) == static_cast<std::size_t>(Errc::undecided) + 1);
  return kStatuses[static_cast<std::size_t>(code)];
}

Error current_failure() {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return Error(Errc::memory, "not enough memory; a smaller --chunk or fewer threads (-T) need less");
  } catch (const std::exception& error) {
    return Error(Errc::engine, std::string("unexpected failure: ") + error.what());
  } catch (...) {
    return Error(Errc::engine, "unexpected failure");
  }
}

int worse(int a, int b) noexcept {
  return std::max(a, b);
}

}  // namespace fugu::cli
