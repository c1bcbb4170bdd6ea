// WebAssembly in a browser or node: one thread, no files, memory that is never swapped by pages.
#include "fugu/platform/system.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "fugu/error.hpp"

namespace fugu {

unsigned platform::usable_processors() noexcept {
  return 1;
}

void platform::lock_memory(const void*, std::size_t) noexcept {}

void platform::use_huge_pages(void*, std::size_t) noexcept {}

void platform::system_random(std::span<std::byte> out) {
  constexpr std::size_t kMaxAtOnce = 256;  // of getentropy()
  while (!out.empty()) {
    const std::size_t step = std::min(out.size(), kMaxAtOnce);
    if (::getentropy(out.data(), step) != 0)
      throw system_error("the browser's random generator failed", errno);
    out = out.subspan(step);
  }
}

bool platform::has_threads() noexcept {
  return false;
}

void platform::start_without_signals(const std::function<void()>& start) {
  start();
}

}  // namespace fugu
