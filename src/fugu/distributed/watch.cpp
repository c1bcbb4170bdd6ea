#include "fugu/distributed/detail/watch.hpp"

#include <system_error>

#include "fugu/distributed/detail/polling.hpp"
#include "fugu/platform/posix/signals.hpp"
#include "fugu/stream/posix/descriptor.hpp"

namespace fugu::distributed {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongestInterval{100};
constexpr milliseconds kAnswerInterval{1};

}  // namespace

struct Watch::Sums {
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t ended = 0;  // ranks
  std::uint64_t failed = 0;
};

Watch::Watch(const Communicator& communicator, const stream::PumpCounters& counters, const Tell& tell,
             RangeQueue& queue)
    : communicator_(communicator), counters_(counters), tell_(tell), queue_(queue) {
  const platform::SignalBlock inherited(platform::asynchronous_signals());
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {  // no thread is available: all ranks wait for this rank's end()
  }
}

Watch::~Watch() {
  if (!ended_) end(true);
}

void Watch::end(bool failed) {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    failed_ = failed;
  }
  ending_.notify_all();
  if (thread_.joinable()) return thread_.join();
  run();
}

void Watch::run() noexcept {
  try {
    milliseconds interval{1};
    do {
      pause(interval);
      interval = std::min(2 * interval, kLongestInterval);
    } while (round());
  } catch (...) {
    stopped_ = true;  // if MPI fails here, the caller's calls fail too and report it
  }
}

// Until this rank's work ends, or for `interval`.
void Watch::pause(milliseconds interval) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + interval;
  for (std::unique_lock lock(mutex_); !ended_ && Clock::now() < end;) {
    ending_.wait_for(lock, communicator_.is_root() ? kAnswerInterval : interval, [this] { return ended_; });
    lock.unlock();
    answer();
    lock.lock();
  }
}

void Watch::answer() const {
  if (communicator_.is_root()) queue_.answer();
}

// Returns whether a rank is still working.
bool Watch::round() {
  Sums mine{.bytes_read = counters_.bytes_read, .bytes_written = counters_.bytes_written};
  {
    const std::lock_guard lock(mutex_);
    mine.ended = ended_ ? 1 : 0;
    mine.failed = failed_ ? 1 : 0;
  }
  const Sums all = sum(mine);
  if (all.failed != 0) stopped_ = true;
  if (tell_) tell_(all.bytes_read, all.bytes_written);
  return all.ended < static_cast<std::uint64_t>(communicator_.size());
}

Watch::Sums Watch::sum(const Sums& mine) const {
  Sums all;
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iallreduce(&mine, &all, sizeof(Sums) / sizeof(std::uint64_t), MPI_UINT64_T, MPI_SUM,
                       communicator_.get(), &request),
        "MPI_Iallreduce");
  wait_for(request, [this] { answer(); });
  return all;
}

}  // namespace fugu::distributed
