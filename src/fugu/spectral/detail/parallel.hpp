// Shares independent pieces of work out among threads. Internal.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>

#include "fugu/spectral/walsh.hpp"
#include "fugu/threads/thread_pool.hpp"

namespace fugu::spectral::detail {

// Fewer values than these are worked on faster by one thread than it wakes another.
inline constexpr std::size_t kParallelValues = std::size_t{1} << 18;

// Throws Error{interrupted} once `stop` has been asked to.
void throw_if_stopped(const std::stop_token& stop);

// The caller's pool, or threads of its own that live as long as it does: one per transform, not per pass.
class Workers {
 public:
  // 0 threads are all that this process may run on; of no meaning with a pool.
  Workers(unsigned threads, fugu::threads::ThreadPool* pool, std::stop_token stop = {});

  // For work over `values` values: one thread when they are few.
  Workers(const WalshOptions& options, std::size_t values);

  // Calls work(first, last) for consecutive ranges that cover [0, count): on one thread that nothing stops
  // all of it at once, otherwise each at most `grain` long. Rethrows the first exception after all calls have
  // ended; Error{interrupted} once it was asked to stop.
  void for_ranges(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t first, std::size_t last)>& work) const;

 private:
  std::unique_ptr<fugu::threads::ThreadPool> own_;
  fugu::threads::ThreadPool* pool_;  // null: the calling thread alone
  std::stop_token stop_;
};

}  // namespace fugu::spectral::detail
