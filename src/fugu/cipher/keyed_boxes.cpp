#include "fugu/cipher/keyed_boxes.hpp"

#include <algorithm>

#include "fugu/cipher/schedule.hpp"
#include "fugu/core/block.hpp"
#include "fugu/core/splitmix.hpp"
#include "fugu/error.hpp"

namespace fugu::cipher {
namespace {

constexpr std::size_t kKeyBytes = 8;

// Hashes the entries by a few of their bits: equal ones meet in one chain.
void find_collisions(std::uint64_t key, const Schedule& schedule, std::vector<WeakKey>& found) {
  for (int box = 0; box < core::kSboxes; ++box) {
    const std::uint32_t* const s = schedule.s[box];
    std::array<std::int16_t, 1024> first;
    std::array<std::int16_t, core::kSboxEntries> next;
    first.fill(-1);
    for (std::int16_t y = 0; y < core::kSboxEntries; ++y) {
      const std::size_t place = s[y] % first.size();
      for (std::int16_t x = first[place]; x >= 0; x = next[static_cast<std::size_t>(x)]) {
        if (s[x] == s[y])
          found.push_back({key, box + 1, static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), s[y]});
      }
      next[static_cast<std::size_t>(y)] = first[place];
      first[place] = y;
    }
  }
}

}  // namespace

std::vector<WeakKey> find_weak_keys(std::uint64_t first, std::uint64_t count) {
  if (count != 0 && count - 1 > ~first) throw Error(Errc::usage, "keys end at 2^64 - 1");
  std::vector<WeakKey> found;
  std::array<Schedule, kMaxKeysAtOnce> schedules;
  for (std::uint64_t done = 0; done < count; done += schedules.size()) {
    const std::uint64_t key = first + done;
    const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(schedules.size(), count - done));
    std::array<std::array<std::byte, kKeyBytes>, kMaxKeysAtOnce> bytes;
    std::array<std::span<const std::byte>, kMaxKeysAtOnce> keys;
    for (std::size_t i = 0; i < some; ++i) {
      for (std::size_t j = 0; j < kKeyBytes; ++j)
        bytes[i][j] = static_cast<std::byte>((key + i) >> (56 - 8 * j) & 0xff);
      keys[i] = bytes[i];
    }
    expand(std::span(keys).first(some), std::span(schedules).first(some));
    for (std::size_t i = 0; i < some; ++i) find_collisions(key + i, schedules[i], found);
  }
  std::ranges::sort(found);
  return found;
}

RandomKey random_key(std::uint64_t seed) noexcept {
  core::SplitMix64 random(core::SplitMix64(seed).next());
  RandomKey made{};
  for (std::size_t at = 0; at < made.key.size(); at += 8)
    core::store_u64_big(made.key.data() + at, random.next());
  for (std::uint32_t& word : made.words) word = static_cast<std::uint32_t>(random.next() >> 32);
  return made;
}

}  // namespace fugu::cipher
