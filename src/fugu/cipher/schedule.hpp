// The Blowfish key schedule: the expanded key and nothing else.
//
// A Schedule is secret and wipes itself. Its layout is fixed (P-array, then S-boxes, 4168 bytes of native
// 32-bit words) because engines copy it to other memories.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fugu/core/feistel.hpp"
#include "fugu/export.hpp"

namespace fugu::cipher {

inline constexpr std::size_t kMinKeyBytes = 1;
inline constexpr std::size_t kMaxKeyBytes = 56;         // Schneier 1993: 448 bits
inline constexpr std::size_t kMaxClassicKeyBytes = 72;  // the limit of SSLeay's code and vectors: 18 words

struct FUGU_EXPORT alignas(64) Schedule {
  std::uint32_t p[core::kSubkeys];
  std::uint32_t s[core::kSboxes][core::kSboxEntries];

  Schedule() = default;  // uninitialised until expand() fills it
  Schedule(const Schedule&) = default;
  Schedule& operator=(const Schedule&) = default;
  ~Schedule();
};

// S-boxes 1 to 4 before a key is mixed in: fractional digits of pi.
FUGU_EXPORT std::span<const std::uint32_t, core::kSboxes * core::kSboxEntries> initial_sboxes() noexcept;

inline constexpr std::size_t kMaxKeysAtOnce = 4;

// Expands keys[i] into schedules[i]. Throws Error{usage} when the counts differ or a key is empty or longer
// than kMaxClassicKeyBytes. Up to kMaxKeysAtOnce expansions run interleaved: each is 521 dependent
// encryptions, so four take little longer than one.
FUGU_EXPORT void expand(std::span<const std::span<const std::byte>> keys, std::span<Schedule> schedules);
FUGU_EXPORT void expand(std::span<const std::byte> key, Schedule& schedule);

}  // namespace fugu::cipher
