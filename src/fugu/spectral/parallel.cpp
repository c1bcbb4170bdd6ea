#include "fugu/spectral/parallel.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace fugu::spectral::detail {

unsigned thread_count(unsigned asked) {
  if (asked != 0) return asked;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) {
    return std::max(1u, static_cast<unsigned>(CPU_COUNT(&allowed)));
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

void parallel_for(std::size_t count, std::size_t grain, unsigned threads,
                  const std::function<void(std::size_t, std::size_t)>& work) {
  const std::size_t pieces = (count + grain - 1) / grain;
  threads = static_cast<unsigned>(std::min<std::size_t>(threads, pieces));
  if (threads <= 1) {
    if (count != 0) work(0, count);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::exception_ptr error;
  std::mutex error_mutex;
  const auto run = [&] {
    try {
      for (std::size_t piece; (piece = next.fetch_add(1)) < pieces;) {
        work(piece * grain, std::min(count, (piece + 1) * grain));
      }
    } catch (...) {
      next.store(pieces);
      const std::lock_guard lock(error_mutex);
      if (!error) error = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(run);
    run();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace fugu::spectral::detail
