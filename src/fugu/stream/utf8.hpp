// Characters in UTF-8.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

namespace fugu::stream {

// Half of a pair in UTF-16, and no character.
constexpr bool is_surrogate(char32_t code) {
  return code >= 0xd800 && code < 0xe000;
}

// Takes one character's bytes off `text`, which is not empty; none for anything but the shortest form of a
// character (RFC 3629).
inline std::optional<char32_t> take_utf8(std::span<const std::byte>& text) {
  const auto first = std::to_integer<char32_t>(text[0]);
  const std::size_t bytes = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (bytes == 0 || first > 0xf4 || text.size() < bytes) return std::nullopt;
  char32_t character = bytes == 1 ? first : first & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto byte = std::to_integer<char32_t>(text[i]);
    if ((byte & 0xc0) != 0x80) return std::nullopt;
    character = character << 6 | (byte & 0x3f);
  }
  constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  if (character < kLeast[bytes] || character > 0x10ffff || is_surrogate(character)) return std::nullopt;
  text = text.subspan(bytes);
  return character;
}

}  // namespace fugu::stream
