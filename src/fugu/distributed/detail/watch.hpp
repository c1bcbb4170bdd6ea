// The messages between ranks at work: the ranges of a file, their progress, and whether one of them
// failed. Private to distributed.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "fugu/distributed/communicator.hpp"
#include "fugu/stream/pump.hpp"

namespace fugu::distributed {

// Units first to end - 1.
struct UnitRange {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
};

// All `units` in ranges that become shorter: one per rank, together half of what is left, until each would be
// shorter than `least`; the rest equally. One range for one rank.
std::vector<UnitRange> ranges_of(std::uint64_t units, std::uint64_t least, unsigned ranks);

// Deals the units of a file to ranks in ranges, since some work more slowly: on processors that share a core
// with other work, for example. Rank 0 counts what is dealt, and the others ask it.
class RangeQueue {
 public:
  // Every rank gives the same ranges.
  RangeQueue(const Communicator& communicator, std::vector<UnitRange> ranges);

  // A range that no other rank gets. The first is the one of this rank's number and takes no message; for the
  // others rank 0 has to call answer() meanwhile.
  std::optional<UnitRange> next();

  // Answers the ranks that have asked so far. For one thread of rank 0.
  void answer();

 private:
  std::uint64_t ask() const;

  const Communicator& communicator_;
  std::vector<UnitRange> ranges_;
  std::atomic<std::uint64_t> dealt_;  // at rank 0 only
  bool is_first_ = true;
};

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
