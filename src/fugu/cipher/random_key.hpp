// Keys that a seed names, for statistics over many of them. Not for secrets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fugu/core/feistel.hpp"
#include "fugu/export.hpp"

namespace fugu::cipher {

// A key, and as many random words as its four S-boxes have, to compare these with.
struct RandomKey {
  std::array<std::byte, 16> key;
  std::array<std::uint32_t, core::kSboxes * core::kSboxEntries> words;
};

// Out of splitmix64 seeded with the first output of splitmix64 of `seed`, so that neighbouring seeds have
// nothing in common: the key is two outputs, first byte most significant, each word the high half of one.
FUGU_EXPORT RandomKey random_key(std::uint64_t seed) noexcept;

}  // namespace fugu::cipher
