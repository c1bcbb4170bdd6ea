// Loops on the caller's pool of threads, or on one that lasts for a transform.
#include "fugu/spectral/detail/parallel.hpp"

#include <algorithm>

#include "fugu/threads/processors.hpp"

namespace fugu::spectral::detail {

using fugu::threads::ThreadPool;

Workers::Workers(unsigned threads, ThreadPool* pool) : pool_(pool) {
  if (pool_ != nullptr) return;
  if (threads == 0) threads = fugu::threads::usable_processors();
  if (threads < 2) return;
  own_ = std::make_unique<ThreadPool>(threads);
  pool_ = own_.get();
}

Workers::Workers(const WalshOptions& options, std::size_t values)
    : Workers(values < kParallelValues ? 1 : options.threads,
              values < kParallelValues ? nullptr : options.pool) {}

void Workers::for_ranges(std::size_t count, std::size_t grain,
                         const std::function<void(std::size_t, std::size_t)>& work) const {
  const std::size_t pieces = (count + grain - 1) / grain;
  if (pool_ == nullptr || pieces <= 1) {
    if (count != 0) work(0, count);
    return;
  }
  pool_->for_each(pieces,
                  [&](std::size_t piece) { work(piece * grain, std::min(count, (piece + 1) * grain)); });
}

}  // namespace fugu::spectral::detail
