#include "fugu/distributed/detail/range_queue.hpp"

#include <utility>

#include "fugu/distributed/detail/polling.hpp"

namespace fugu::distributed {
namespace {

// Tags of messages.
constexpr int kQuestion = 1;
constexpr int kAnswer = 2;

}  // namespace

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
