#include "fugu/platform/system.hpp"

#include <windows.h>

#include <bcrypt.h>  // needs the types of windows.h

#include <algorithm>
#include <thread>

#include "fugu/error.hpp"

namespace fugu {

unsigned platform::usable_processors() noexcept {
  return std::max(1u, std::thread::hardware_concurrency());
}

void platform::lock_memory(const void* memory, std::size_t bytes) noexcept {
  ::VirtualLock(const_cast<void*>(memory), bytes);
}

void platform::use_huge_pages(void*, std::size_t) noexcept {}

void platform::system_random(std::span<std::byte> out) {
  constexpr std::size_t kMaxAtOnce = std::size_t{1} << 30;
  while (!out.empty()) {
    const auto step = static_cast<ULONG>(std::min(out.size(), kMaxAtOnce));
    if (::BCryptGenRandom(nullptr, reinterpret_cast<UCHAR*>(out.data()), step,
                          BCRYPT_USE_SYSTEM_PREFERRED_RNG) != 0)
      throw Error(Errc::io, "the system's random generator failed");
    out = out.subspan(step);
  }
}

bool platform::has_threads() noexcept {
  return true;
}

void platform::start_without_signals(const std::function<void()>& start) {
  start();
}

}  // namespace fugu
