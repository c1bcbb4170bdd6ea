#include "fugu/spectral/detail/parallel.hpp"

#include <algorithm>

#include "fugu/threads/processors.hpp"
#include "fugu/threads/thread_pool.hpp"

namespace fugu::spectral::detail {

unsigned thread_count(unsigned asked) {
  return asked != 0 ? asked : threads::usable_processors();
}

void parallel_for(std::size_t count, std::size_t grain, unsigned threads,
                  const std::function<void(std::size_t, std::size_t)>& work) {
  const std::size_t pieces = (count + grain - 1) / grain;
  const auto useful_threads = static_cast<unsigned>(std::min<std::size_t>(threads, pieces));
  if (useful_threads <= 1) {
    if (count != 0) work(0, count);
    return;
  }
  threads::ThreadPool(useful_threads).for_each(pieces, [&](std::size_t piece) {
    work(piece * grain, std::min(count, (piece + 1) * grain));
  });
}

}  // namespace fugu::spectral::detail
