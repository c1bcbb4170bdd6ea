#include "fugu/cipher/schedule.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "fugu/cipher/detail/pi_words.hpp"
#include "fugu/cipher/tables.hpp"
#include "fugu/core/wipe.hpp"
#include "fugu/error.hpp"

namespace fugu::cipher {
namespace {

static_assert(sizeof(Schedule::p) + sizeof(Schedule::s) == sizeof(kPiWords));

// P_i is combined with the next four key bytes, big-endian; the key repeats (Schneier 1993, steps 1 and 2).
void start(std::span<const std::byte> key, Schedule& schedule) {
  std::memcpy(schedule.p, kPiWords, sizeof schedule.p);
  std::memcpy(schedule.s, kPiWords + core::kSubkeys, sizeof schedule.s);
  std::size_t next = 0;
  for (std::uint32_t& subkey : schedule.p) {
    std::uint32_t word = 0;
    for (int i = 0; i < 4; ++i) {
      word = (word << 8) | std::to_integer<std::uint32_t>(key[next]);
      next = next + 1 == key.size() ? 0 : next + 1;
    }
    subkey ^= word;
  }
}

// Steps 3 to 7: a chain of encryptions, each of which replaces the next two words of the tables that it used.
template <std::size_t keys>
void run_chains(Schedule* schedules) {
  const SideBySideTables<keys> tables(schedules);
  SideBySide<keys> left[1];
  SideBySide<keys> right[1];
  const auto replace_two = [&](auto words_of) {
    core::run_blocks<core::Direction::encrypt>(tables, left, right);
    for (std::size_t k = 0; k < keys; ++k) {
      std::uint32_t* words = words_of(schedules[k]);
      words[0] = left[0].lane[k];
      words[1] = right[0].lane[k];
    }
  };
  for (int i = 0; i < core::kSubkeys; i += 2) replace_two([i](Schedule& schedule) { return schedule.p + i; });
  for (int box = 0; box < core::kSboxes; ++box) {
    for (int i = 0; i < core::kSboxEntries; i += 2) {
      replace_two([box, i](Schedule& schedule) { return schedule.s[box] + i; });
    }
  }
}

void run_chains(std::span<Schedule> schedules) {
  static_assert(kMaxKeysAtOnce == 4);
  constexpr void (*kOfCount[])(Schedule*) = {run_chains<1>, run_chains<2>, run_chains<3>, run_chains<4>};
  kOfCount[schedules.size() - 1](schedules.data());
}

}  // namespace

Schedule::~Schedule() {
  core::wipe(this, sizeof *this);
}

std::span<const std::uint32_t, core::kSboxes * core::kSboxEntries> initial_sboxes() noexcept {
  return std::span(kPiWords).subspan<core::kSubkeys>();
}

void expand(std::span<const std::span<const std::byte>> keys, std::span<Schedule> schedules) {
  if (keys.size() != schedules.size()) throw Error(Errc::usage, "the numbers of keys and schedules differ");
  for (const auto key : keys) {
    if (key.size() < kMinKeyBytes || key.size() > kMaxClassicKeyBytes) {
      throw Error(Errc::usage, "a key of " + std::to_string(key.size()) + " bytes: Blowfish takes 1 to " +
                                   std::to_string(kMaxClassicKeyBytes));
    }
  }
  for (std::size_t i = 0; i < keys.size(); ++i) start(keys[i], schedules[i]);
  while (!schedules.empty()) {
    const std::size_t count = std::min(schedules.size(), kMaxKeysAtOnce);
    run_chains(schedules.first(count));
    schedules = schedules.subspan(count);
  }
}

void expand(std::span<const std::byte> key, Schedule& schedule) {
  expand({&key, 1}, {&schedule, 1});
}

}  // namespace fugu::cipher
