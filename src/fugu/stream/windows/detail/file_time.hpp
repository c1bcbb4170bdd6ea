// Times of files: Windows counts units of 100 ns since 1601.
#pragma once

#include <windows.h>

#include <cstdint>
#include <ctime>

namespace fugu::stream {

inline constexpr std::int64_t kUnitsPerSecond = 10'000'000;
inline constexpr std::int64_t kSecondsUntil1970 = 11'644'473'600;

inline timespec time_of(const FILETIME& time) {
  const auto units = static_cast<std::int64_t>(std::uint64_t{time.dwHighDateTime} << 32 | time.dwLowDateTime);
  timespec result{};
  result.tv_sec = units / kUnitsPerSecond - kSecondsUntil1970;
  result.tv_nsec = static_cast<long>(units % kUnitsPerSecond * 100);
  return result;
}

inline FILETIME file_time_of(const timespec& time) {
  const auto units =
      static_cast<std::uint64_t>((time.tv_sec + kSecondsUntil1970) * kUnitsPerSecond + time.tv_nsec / 100);
  return {static_cast<DWORD>(units), static_cast<DWORD>(units >> 32)};
}

}  // namespace fugu::stream
