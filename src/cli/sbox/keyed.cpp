// S-boxes out of Blowfish's key schedule, and the search for weak keys.
#include "cli/sbox/keyed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <tuple>

#include "cli/process/console.hpp"
#include "cli/process/secrets.hpp"
#include "cli/sbox/long_work.hpp"
#include "cli/sbox/write.hpp"
#include "fugu/cipher/schedule.hpp"
#include "fugu/error.hpp"
#include "fugu/threads/thread_pool.hpp"

namespace fugu::cli {
namespace {

constexpr std::string_view kFamily = "blowfish:";
constexpr std::size_t kKeyBytes = 8;
constexpr double kSecondsPerKey = 3e-5;
constexpr std::uint64_t kPieceKeys = 4096;

struct WeakKey {
  std::uint64_t key;
  int box;
  std::uint32_t x;
  std::uint32_t y;
  std::uint32_t value;
};

// Entries by a few of their bits: equal ones meet in one chain.
void find_collisions(std::uint64_t key, const cipher::Schedule& schedule, std::vector<WeakKey>& found) {
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

std::vector<WeakKey> weak_keys(std::uint64_t first, std::uint64_t last) {
  std::vector<WeakKey> found;
  std::array<cipher::Schedule, cipher::kMaxKeysAtOnce> schedules;
  for (std::uint64_t key = first; key < last; key += schedules.size()) {
    const std::size_t count = std::min<std::uint64_t>(schedules.size(), last - key);
    std::array<std::array<std::byte, kKeyBytes>, cipher::kMaxKeysAtOnce> bytes;
    std::array<std::span<const std::byte>, cipher::kMaxKeysAtOnce> keys;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < kKeyBytes; ++j)
        bytes[i][j] = static_cast<std::byte>((key + i) >> (56 - 8 * j) & 0xff);
      keys[i] = bytes[i];
    }
    cipher::expand(std::span(keys).first(count), std::span(schedules).first(count));
    for (std::size_t i = 0; i < count; ++i) find_collisions(key + i, schedules[i], found);
  }
  return found;
}

}  // namespace

bool is_keyed_name(std::string_view name) {
  return name.starts_with(kFamily);
}

std::optional<spectral::SBox> keyed_box(std::string_view name, const Arguments& arguments) {
  if (!is_keyed_name(name)) return std::nullopt;
  const std::string_view number = name.substr(kFamily.size());
  if (number.size() != 1 || number[0] < '1' || number[0] > '4')
    throw Error(Errc::usage,
                fmt::format("'{}' is no box: there are blowfish:1 to blowfish:4", printable(name)));
  if (!arguments.has("key")) throw Error(Errc::usage, fmt::format("{} needs --key", printable(name)));
  const auth::SecretBytes key = read_key(key_source(arguments), cipher::kMaxKeyBytes);
  cipher::Schedule schedule;
  cipher::expand(key.span(), schedule);
  const std::uint32_t* const s = schedule.s[number[0] - '1'];
  return spectral::SBox(8, 32, std::vector<std::uint32_t>(s, s + core::kSboxEntries));
}

void run_weak_keys(const Arguments& arguments) {
  const Range range = range_value(arguments, "weak-keys", 0);
  if (range.count > ~range.first) throw Error(Errc::usage, "--weak-keys: keys end at 2^64 - 1");
  threads::ThreadPool pool(thread_count(arguments));
  LongWork work(arguments, fmt::format("{} keys", range.count), range.count,
                static_cast<double>(range.count) * kSecondsPerKey / pool.threads(), "keys");
  std::mutex merging;
  std::vector<WeakKey> all;
  pool.for_each((range.count + kPieceKeys - 1) / kPieceKeys, [&](std::size_t piece) {
    const std::uint64_t first = piece * kPieceKeys;
    const std::uint64_t count = std::min(kPieceKeys, range.count - first);
    const std::vector<WeakKey> found = weak_keys(range.first + first, range.first + first + count);
    work.advance(count);
    const std::lock_guard lock(merging);
    all.insert(all.end(), found.begin(), found.end());
  });
  std::ranges::sort(all, {},
                    [](const WeakKey& weak) { return std::tuple(weak.key, weak.box, weak.x, weak.y); });
  std::string text;
  for (const WeakKey& weak : all)
    text += fmt::format("{:016x} {} {} {} {:08x}\n", weak.key, weak.box, weak.x, weak.y, weak.value);
  write_text(arguments, std::nullopt, text);
}

}  // namespace fugu::cli
