// Distributes independent work over threads. Internal.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "fugu/platform/system.hpp"
#include "fugu/spectral/detail/overflow.hpp"
#include "fugu/spectral/options.hpp"
#include "fugu/spectral/overflow.hpp"
#include "fugu/threads/thread_pool.hpp"

namespace fugu::spectral::detail {

// Below this many values, one thread is faster than waking a second.
inline constexpr std::size_t kParallelValues = std::size_t{1} << 17;

// Starting a thread takes as long as transforming a quarter of these values, so each gets at least this many.
inline constexpr std::size_t kValuesPerThread = std::size_t{1} << 20;

// Values that a thread takes at a time in a pass that looks at each value once.
inline constexpr std::size_t kValuesAtATime = std::size_t{1} << 16;

// The number of threads that options mean; 0: all that this process may run on.
inline unsigned threads_of(unsigned threads) {
  return threads == 0 ? fugu::platform::usable_processors() : threads;
}

// Throws Error{interrupted} after a stop request.
void throw_if_stopped(const std::stop_token& stop);

// Work on [0, count), at most `grain` of it at a time.
struct Pass {
  std::size_t count;
  std::size_t grain;
  std::function<void(std::size_t first, std::size_t last)> work;
};

// The caller's pool, or threads of its own for its lifetime: one set per transform, not per pass.
class Workers {
 public:
  // `threads` 0: all that this process may run on; ignored with a pool.
  Workers(unsigned threads, fugu::threads::ThreadPool* pool, std::stop_token stop = {});

  // For work over `values` values: no more threads than are worth it.
  Workers(const WalshOptions& options, std::size_t values);

  unsigned threads() const noexcept { return pool_ == nullptr ? 1 : pool_->threads(); }

  // Calls work(first, last) for consecutive ranges that cover [0, count): the whole range at once on a single
  // thread without a stop token, otherwise at most `grain` at a time. Rethrows the exception of the lowest
  // range that failed after all calls have ended; throws Error{interrupted} after a stop request.
  void for_ranges(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t first, std::size_t last)>& work) const;

  // The same for one pass after the other. Threads wait for the end of a pass without sleep: to wake them
  // takes as long as a pass over 2^20 values.
  void run(const std::vector<Pass>& passes) const;

  // Throws Error{usage} when floats overflowed since construction, here or in for_ranges(), and the results
  // show it. Called on the thread that constructed this.
  template <class T>
  void refuse_overflow(std::span<const T> results) const {
    if constexpr (std::is_floating_point_v<T>) {
      if (here_.raised() || elsewhere_) require_finite(results);
    }
  }

 private:
  void take(const std::function<void(std::size_t, std::size_t)>& work, std::size_t first,
            std::size_t last) const;

  std::unique_ptr<fugu::threads::ThreadPool> own_;
  fugu::threads::ThreadPool* pool_;  // null: the calling thread alone
  std::stop_token stop_;
  OverflowFlag here_;
  mutable std::atomic<bool> elsewhere_ = false;  // an overflow on another thread
};

}  // namespace fugu::spectral::detail
