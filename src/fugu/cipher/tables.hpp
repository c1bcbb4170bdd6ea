// Table accessors over schedules, for core::run_blocks (core/feistel.hpp).
#pragma once

#include <array>

#include "fugu/cipher/schedule.hpp"

namespace fugu::cipher {

// Returns S_i[byte i of x], byte 0 being the most significant.
template <int i>
[[gnu::always_inline]] inline std::uint32_t sbox_entry(const Schedule& schedule, std::uint32_t x) {
  return schedule.s[i][(x >> (24 - 8 * i)) & 0xffu];
}

// Any number of blocks under one key.
class FUGU_EXPORT ScheduleTables {
 public:
  using Word = std::uint32_t;

  explicit ScheduleTables(const Schedule& schedule) : schedule_(schedule) {}

  template <int i>
  Word sbox(const Word& x) const {
    return sbox_entry<i>(schedule_, x);
  }
  void mix_subkey(Word& x, int i) const { x ^= schedule_.p[i]; }

 private:
  const Schedule& schedule_;
};

// One word of each of `keys` blocks, each under its own key.
template <std::size_t keys>
struct SideBySide {
  std::array<std::uint32_t, keys> lane{};

  SideBySide& operator^=(const SideBySide& other) {
    for (std::size_t k = 0; k < keys; ++k) lane[k] ^= other.lane[k];
    return *this;
  }
  friend SideBySide operator^(SideBySide a, const SideBySide& b) { return a ^= b; }
  friend SideBySide operator+(SideBySide a, const SideBySide& b) {
    for (std::size_t k = 0; k < keys; ++k) a.lane[k] += b.lane[k];
    return a;
  }
};

// One block per key, for `keys` keys at once.
template <std::size_t keys>
class SideBySideTables {
 public:
  using Word = SideBySide<keys>;

  explicit SideBySideTables(const Schedule* schedules) : schedules_(schedules) {}

  template <int i>
  Word sbox(const Word& x) const {
    Word y;
    for (std::size_t k = 0; k < keys; ++k) y.lane[k] = sbox_entry<i>(schedules_[k], x.lane[k]);
    return y;
  }
  void mix_subkey(Word& x, int i) const {
    for (std::size_t k = 0; k < keys; ++k) x.lane[k] ^= schedules_[k].p[i];
  }

 private:
  const Schedule* schedules_;
};

}  // namespace fugu::cipher
