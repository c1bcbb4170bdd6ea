#include "fugu/platform/system.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <algorithm>
#include <thread>

#include <cerrno>

#include "fugu/error.hpp"
#include "fugu/platform/posix/signals.hpp"

namespace fugu::platform {

sigset_t asynchronous_signals() noexcept {
  sigset_t signals;
  sigfillset(&signals);
  for (const int own_fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS})
    sigdelset(&signals, own_fault);
  return signals;
}

void lock_memory(const void* memory, std::size_t bytes) noexcept {
  static_cast<void>(::mlock(memory, bytes));
}

void use_huge_pages(void* memory, std::size_t bytes) noexcept {
#if defined(MADV_HUGEPAGE)
  ::madvise(memory, bytes / kHugePageBytes * kHugePageBytes, MADV_HUGEPAGE);
#endif
}

void system_random(std::span<std::byte> out) {
  while (!out.empty()) {
    const auto got = ::getrandom(out.data(), out.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw system_error("the kernel's random generator failed", errno);
    out = out.subspan(static_cast<std::size_t>(got));
  }
}

bool has_threads() noexcept {
  return true;
}

void start_without_signals(const std::function<void()>& start) {
  const SignalBlock inherited_by_the_threads(asynchronous_signals());
  start();
}

unsigned usable_processors() noexcept {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<unsigned>(CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace fugu::platform
