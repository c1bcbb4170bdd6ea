// The part of a text that may reach a terminal, and the exit status of a failure.
#include <algorithm>
#include <span>

#include "cli/process/console.hpp"
#include "fugu/stream/hex.hpp"

namespace fugu::cli {
namespace {

constexpr std::uint32_t kNoCharacter = 0xffffffff;

struct Character {
  std::size_t bytes = 1;
  std::uint32_t code = kNoCharacter;  // Unicode's number
};

// By a character's first byte, which is 0x80 or more.
std::size_t character_bytes(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
}

// The first character of a nonempty text, by RFC 3629; for anything else, one byte.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) -> std::uint32_t { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {1, byte(0)};
  constexpr std::uint32_t kMinOf[] = {0, 0, 0x80, 0x800, 0x10000};
  const std::size_t bytes = character_bytes(text[0]);
  if (byte(0) < 0xc0 || byte(0) >= 0xf8 || bytes > text.size()) return {};
  std::uint32_t code = byte(0) & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3f);
  }
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  if (code < kMinOf[bytes] || code > 0x10ffff || is_surrogate) return {};
  return {bytes, code};
}

// False for controls (C0, DEL, C1), line and paragraph separators, and changes of the writing direction.
bool is_harmless(std::uint32_t code) {
  const bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029;
  const bool turns = code == 0x61c || code == 0x200e || code == 0x200f ||
                     (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return code != kNoCharacter && !is_control && !turns;
}

// Whether `text` is the beginning of a character.
bool is_begun(std::string_view text) {
  return text.size() < character_bytes(text.front()) &&
         std::ranges::all_of(text.substr(1), [](char c) { return (c & 0xc0) == 0x80; });
}

}  // namespace

std::string printable(std::string_view given) {
  const std::string spelled_text = spelled(given, Spelling::program);
  std::string_view text = spelled_text;
  std::string result;
  while (!text.empty()) {
    const Character character = first_character(text);
    for (const char c : text.substr(0, character.bytes)) {
      if (is_harmless(character.code)) {
        result += c;
      } else {
        char digits[2];
        stream::encode_hex(std::as_bytes(std::span(&c, 1)), digits);
        result.append("\\x").append(digits, sizeof digits);
      }
    }
    text.remove_prefix(character.bytes);
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
    const Character character = first_character(rest);
    if (character.code == kNoCharacter && is_begun(rest)) break;
    const bool is_space = character.code == '\t' || character.code == '\n' || character.code == '\r';
    if (!is_space && !is_harmless(character.code)) return std::nullopt;
    rest.remove_prefix(character.bytes);
  }
  return text.size() - rest.size();
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
