#include "fugu/distributed/detail/watch.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "fugu/platform/posix/signals.hpp"
#include "fugu/stream/posix/descriptor.hpp"

namespace fugu::distributed {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongestInterval{100};
constexpr milliseconds kAnswerInterval{1};

// Tags of messages.
constexpr int kQuestion = 1;
constexpr int kAnswer = 2;

// Waits with pauses: MPI's own waits are busy loops, which would take processors from the work. `between` is
// called before each pause; pauses become longer, up to a millisecond.
template <class Between>
void wait_for(MPI_Request& request, Between between) {
  using std::chrono::microseconds;
  for (microseconds pause(20);; pause = std::min(2 * pause, microseconds(1000))) {
    int done = 0;
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) return;
    between();
    std::this_thread::sleep_for(pause);
  }
}

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

std::vector<UnitRange> ranges_of(std::uint64_t units, std::uint64_t least, unsigned ranks) {
  if (ranks == 1) return {{0, units}};
  std::vector<UnitRange> ranges;
  for (std::uint64_t first = 0; first < units;) {
    const std::uint64_t most = std::max<std::uint64_t>({1, least, (units - first) / ranks / 2});
    for (std::uint64_t takers = ranks; takers != 0 && first < units; --takers) {
      const std::uint64_t share = (units - first + takers - 1) / takers;
      ranges.push_back({first, first + std::min(most, share)});
      first = ranges.back().end;
    }
  }
  return ranges;
}

RangeQueue::RangeQueue(const Communicator& communicator, std::vector<UnitRange> ranges)
    : communicator_(communicator),
      ranges_(std::move(ranges)),
      dealt_(static_cast<std::uint64_t>(communicator.size())) {}

std::optional<UnitRange> RangeQueue::next() {
  const bool is_first = std::exchange(is_first_, false);
  const std::uint64_t index = is_first                  ? static_cast<std::uint64_t>(communicator_.rank())
                              : communicator_.is_root() ? dealt_++
                                                        : ask();
  if (index >= ranges_.size()) return std::nullopt;
  return ranges_[index];
}

std::uint64_t RangeQueue::ask() const {
  std::uint64_t index = 0;
  MPI_Request answer = MPI_REQUEST_NULL;
  check(MPI_Irecv(&index, 1, MPI_UINT64_T, 0, kAnswer, communicator_.get(), &answer), "MPI_Irecv");
  check(MPI_Send(nullptr, 0, MPI_BYTE, 0, kQuestion, communicator_.get()), "MPI_Send");
  wait_for(answer, [] {});
  return index;
}

void RangeQueue::answer() {
  for (;;) {
    int has_asked = 0;
    MPI_Status status;
    check(MPI_Iprobe(MPI_ANY_SOURCE, kQuestion, communicator_.get(), &has_asked, &status), "MPI_Iprobe");
    if (has_asked == 0) return;
    const int rank = status.MPI_SOURCE;
    check(MPI_Recv(nullptr, 0, MPI_BYTE, rank, kQuestion, communicator_.get(), MPI_STATUS_IGNORE),
          "MPI_Recv");
    const std::uint64_t index = dealt_++;
    check(MPI_Send(&index, 1, MPI_UINT64_T, rank, kAnswer, communicator_.get()), "MPI_Send");
  }
}

}  // namespace fugu::distributed
