#include "fugu/platform/processors.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace fugu::platform {

unsigned usable_processors() noexcept {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<unsigned>(CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace fugu::platform
