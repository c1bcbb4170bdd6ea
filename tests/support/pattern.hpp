// Deterministic test data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
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

using Random = std::mt19937_64;

inline Bytes random_bytes(Random& random, std::size_t bytes) {
  Bytes data(bytes);
  for (std::byte& byte : data) byte = static_cast<std::byte>(random());
  return data;
}

}  // namespace fugu::test
