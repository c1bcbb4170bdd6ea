// Keys generated from a seed, for statistics over many keys. Not for secrets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

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

}  // namespace fugu::cipher
