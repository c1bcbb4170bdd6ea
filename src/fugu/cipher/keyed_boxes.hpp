// For research on the S-boxes that keys make: keys from a seed, and weak keys.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fugu/core/feistel.hpp"
#include "fugu/export.hpp"

namespace fugu::cipher {

// A key, and as many random words as its four S-boxes hold, for comparison.
struct RandomKey {
  std::array<std::byte, 16> key;
  std::array<std::uint32_t, core::kSboxes * core::kSboxEntries> words;
};

// Draws from splitmix64, seeded with the first output of splitmix64 of `seed` so that neighbouring seeds are
// unrelated. The key is two outputs, first byte most significant; each word is the high half of one output.
FUGU_EXPORT RandomKey random_key(std::uint64_t seed) noexcept;

// A collision S(x) = S(y) = value, x < y.
struct WeakKey {
  std::uint64_t key;
  int box;
  std::uint32_t x;
  std::uint32_t y;
  std::uint32_t value;

  friend auto operator<=>(const WeakKey&, const WeakKey&) = default;
};

// Every such pair under the keys first, ..., first + count - 1, big-endian numbers of eight bytes; ascending.
// About 30 us per key. Throws Error{usage} for keys beyond 2^64 - 1.
FUGU_EXPORT std::vector<WeakKey> find_weak_keys(std::uint64_t first, std::uint64_t count);

}  // namespace fugu::cipher
