// While it lives, the process cannot start a thread: the stack size for new ones exceeds the address space.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace fugu::test {

class NoThreads {
 public:
  NoThreads() {
    constexpr auto kImpossible = static_cast<std::size_t>(
        std::min<std::uint64_t>(std::uint64_t{1} << 60, std::numeric_limits<std::size_t>::max() / 4 * 3));
    pthread_getattr_default_np(&before_);
    pthread_attr_t impossible;
    pthread_getattr_default_np(&impossible);
    pthread_attr_setstacksize(&impossible, kImpossible);
    pthread_setattr_default_np(&impossible);
    pthread_attr_destroy(&impossible);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;
  ~NoThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }

 private:
  pthread_attr_t before_;
};

}  // namespace fugu::test
