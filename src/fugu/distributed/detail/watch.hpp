// Shares the progress of all ranks, and whether one of them failed, while each works. Private to distributed.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "fugu/distributed/detail/range_queue.hpp"
#include "fugu/stream/pump.hpp"

namespace fugu::distributed {

// The totals over all ranks.
using Tell = std::function<void(std::uint64_t bytes_read, std::uint64_t bytes_written)>;

// A small all-reduce about every 100 ms, on a thread of its own, which meanwhile answers ranks that ask for
// ranges.
class Watch {
 public:
  // Collective; no other collective function uses the communicator until end(). `counters` are this rank's.
  // `tell` is called on every rank that provides one.
  Watch(const Communicator& communicator, const stream::PumpCounters& counters, const Tell& tell,
        RangeQueue& queue);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // Another rank failed, so this rank's work is in vain.
  bool is_stopped() const noexcept { return stopped_; }

  // Collective: ends this rank's work and returns once all have ended theirs.
  void end(bool failed);

 private:
  struct Sums;

  void run() noexcept;
  void pause(std::chrono::milliseconds interval);
  bool round();
  Sums sum(const Sums& mine) const;
  void answer() const;

  const Communicator& communicator_;
  const stream::PumpCounters& counters_;
  const Tell& tell_;
  RangeQueue& queue_;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::condition_variable ending_;
  bool ended_ = false;  // both under mutex_
  bool failed_ = false;
  std::thread thread_;
};

// Calls work(watch) on every rank and agrees on the result. Collective, as the Watch.
template <class Work>
void watched(const Communicator& communicator, const stream::PumpCounters& counters, const Tell& tell,
             RangeQueue& queue, Work work) {
  Watch watch(communicator, counters, tell, queue);
  std::exception_ptr failure;
  try {
    work(watch);
  } catch (...) {
    failure = std::current_exception();
  }
  watch.end(failure != nullptr);
  agree(communicator, failure);
}

}  // namespace fugu::distributed
