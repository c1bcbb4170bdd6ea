// Runs independent pieces of work on threads that are joined before it returns. Internal.
#pragma once

#include <cstddef>
#include <functional>

namespace fugu::spectral::detail {

// 0 becomes the CPUs this process may run on.
unsigned thread_count(unsigned asked);

// Calls work(first, last) for consecutive ranges that cover [0, count), each at most `grain` long, on up to
// `threads` threads. Rethrows the first exception after all threads have ended.
void parallel_for(std::size_t count, std::size_t grain, unsigned threads,
                  const std::function<void(std::size_t first, std::size_t last)>& work);

}  // namespace fugu::spectral::detail
