// Deterministic test data, and bytes as hexadecimal text.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fugu::test {

using Bytes = std::vector<std::byte>;

inline Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// 251 is the largest prime below 256: a swap of any two blocks, groups of blocks or pieces is noticed.
inline Bytes pattern(std::size_t bytes) {
  constexpr std::size_t kPeriod = 251;
  Bytes data(bytes);
  for (std::size_t i = 0; i < std::min(bytes, kPeriod); ++i) data[i] = static_cast<std::byte>(i);
  // Copies whole periods: byte by byte takes seconds in a build without optimisation.
  for (std::size_t done = kPeriod; done < bytes; done *= 2)
    std::memcpy(&data[done], data.data(), std::min(done, bytes - done));
  return data;
}

// Compares by memcmp(): element by element takes seconds in a build without optimisation.
inline bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

inline Bytes joined(std::initializer_list<std::span<const std::byte>> parts) {
  Bytes whole;
  for (const auto part : parts) whole.insert(whole.end(), part.begin(), part.end());
  return whole;
}

inline Bytes operator+(Bytes a, std::span<const std::byte> b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// The bytes from `begin` to `end`, as far as they are there.
inline Bytes slice(std::span<const std::byte> bytes, std::size_t begin, std::size_t end = std::string::npos) {
  const auto head = bytes.first(std::min(end, bytes.size()));
  const auto part = head.subspan(std::min(begin, head.size()));
  return {part.begin(), part.end()};
}

// The same bytes but for some bits of one.
inline Bytes flipped(std::span<const std::byte> bytes, std::size_t at, unsigned bits = 1) {
  Bytes changed(bytes.begin(), bytes.end());
  changed.at(at) ^= static_cast<std::byte>(bits);
  return changed;
}

// The lowest byte of the number first.
inline Bytes little_endian(std::uint64_t number, std::size_t bytes) {
  Bytes all(bytes);
  for (std::size_t i = 0; i < bytes; ++i) all[i] = static_cast<std::byte>(number >> (8 * i));
  return all;
}

using Random = std::mt19937_64;

inline Bytes random_bytes(Random& random, std::size_t bytes) {
  Bytes data(bytes);
  for (std::byte& byte : data) byte = static_cast<std::byte>(random());
  return data;
}

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
inline Bytes bytes_of_hex(std::string_view hex) {
  Bytes bytes(hex.size() / 2);
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
