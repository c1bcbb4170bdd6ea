// Loops on the caller's thread pool, or on one that lasts for a transform.
#include "fugu/spectral/detail/parallel.hpp"

#include <algorithm>
#include <thread>
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

void Workers::take(const std::function<void(std::size_t, std::size_t)>& work, std::size_t first,
                   std::size_t last) const {
  throw_if_stopped(stop_);
  const OverflowFlag flag;
  work(first, last);
  if (flag.raised()) elsewhere_ = true;
}

void Workers::for_ranges(std::size_t count, std::size_t grain,
                         const std::function<void(std::size_t, std::size_t)>& work) const {
  if ((pool_ == nullptr || count <= grain) && !stop_.stop_possible()) {
    if (count != 0) work(0, count);
    return;
  }
  const auto take_range = [&](std::size_t first, std::size_t last) { take(work, first, last); };
  if (pool_ != nullptr) return pool_->for_ranges(count, grain, take_range);
  for (std::size_t first = 0; first < count; first += grain)
    take_range(first, std::min(count, first + grain));
}

// Turns begin in order, so that one that waits for an earlier pass waits for turns that have begun.
void Workers::run(const std::vector<Pass>& passes) const {
  if (pool_ == nullptr) {
    for (const Pass& pass : passes) for_ranges(pass.count, pass.grain, pass.work);
    return;
  }
  const auto turns_of = [](const Pass& pass) { return (pass.count + pass.grain - 1) / pass.grain; };
  std::size_t turns = 0;
  for (const Pass& pass : passes) turns += turns_of(pass);
  std::atomic<std::size_t> ended = 0;
  std::atomic<bool> failed = false;
  pool_->for_each(turns, [&](std::size_t turn) {
    std::size_t before = 0;
    auto pass = passes.begin();
    for (; turn - before >= turns_of(*pass); ++pass) before += turns_of(*pass);
    while (ended.load(std::memory_order_acquire) < before) {
      if (failed.load(std::memory_order_relaxed)) return;
      std::this_thread::yield();
    }
    const std::size_t first = (turn - before) * pass->grain;
    try {
      take(pass->work, first, std::min(pass->count, first + pass->grain));
    } catch (...) {
      failed = true;
      throw;
    }
    ended.fetch_add(1, std::memory_order_release);
  });
}

}  // namespace fugu::spectral::detail
