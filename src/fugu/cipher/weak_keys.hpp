// Search for weak keys: those under which an S-box has two equal entries (Vaudenay, FSE 1996).
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "fugu/export.hpp"

namespace fugu::cipher {

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
