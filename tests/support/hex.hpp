// Bytes as hexadecimal text.
#pragma once

#include <charconv>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fugu::test {

// Lower-case digits, two per byte.
inline std::string hex_of(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<std::size_t>(byte) >> 4];
    text += kDigits[std::to_integer<std::size_t>(byte) & 15];
  }
  return text;
}

// The inverse, from digits of either case.
inline std::vector<std::byte> bytes_of_hex(std::string_view hex) {
  std::vector<std::byte> bytes(hex.size() / 2);
  const char* digits = hex.data();
  for (std::byte& byte : bytes) {
    unsigned char value = 0;
    if (std::from_chars(digits, digits + 2, value, 16).ptr != digits + 2)
      throw std::invalid_argument("not hexadecimal: " + std::string(hex));
    byte = std::byte{value};
    digits += 2;
  }
  return bytes;
}

}  // namespace fugu::test
