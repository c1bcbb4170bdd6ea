// Loops on the caller's thread pool, or on one that lasts for a transform.
#include "fugu/spectral/detail/parallel.hpp"

#include <algorithm>
#include <utility>

#include "fugu/error.hpp"

namespace fugu::spectral::detail {

using fugu::threads::ThreadPool;

namespace {

unsigned threads_to_start(const WalshOptions& options, std::size_t values) {
  const std::size_t most = values / kValuesPerThread;
  if (options.pool != nullptr || most < 2) return 1;
  return static_cast<unsigned>(std::min<std::size_t>(detail::threads_of(options.threads), most));
}

}  // namespace

void throw_if_stopped(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Error(Errc::interrupted, "interrupted");
}

Workers::Workers(unsigned threads, ThreadPool* pool, std::stop_token stop)
    : pool_(pool), stop_(std::move(stop)) {
  if (pool_ != nullptr) return;
  threads = threads_of(threads);
  if (threads < 2) return;
  own_ = std::make_unique<ThreadPool>(threads);
  pool_ = own_.get();
}

Workers::Workers(const WalshOptions& options, std::size_t values)
    : Workers(threads_to_start(options, values), values < kParallelValues ? nullptr : options.pool,
              options.stop) {}

void Workers::for_ranges(std::size_t count, std::size_t grain,
                         const std::function<void(std::size_t, std::size_t)>& work) const {
  if ((pool_ == nullptr || count <= grain) && !stop_.stop_possible()) {
    if (count != 0) work(0, count);
    return;
  }
  const auto take = [&](std::size_t first, std::size_t last) {
    throw_if_stopped(stop_);
    const OverflowFlag flag;
    work(first, last);
    if (flag.raised()) elsewhere_ = true;
  };
  if (pool_ != nullptr) return pool_->for_ranges(count, grain, take);
  for (std::size_t first = 0; first < count; first += grain) take(first, std::min(count, first + grain));
}

}  // namespace fugu::spectral::detail
