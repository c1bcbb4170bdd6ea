// Deals the units of a file to ranks in ranges, since some work more slowly: on processors that share a core
// with other work, for example. Private to distributed.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "fugu/distributed/communicator.hpp"

namespace fugu::distributed {

// Units first to end - 1.
struct UnitRange {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
};

// All `units` in ranges that become shorter: one per rank, together half of what is left, until each would be
// shorter than `least`; the rest equally. One range for one rank.
std::vector<UnitRange> ranges_of(std::uint64_t units, std::uint64_t least, unsigned ranks);

// Rank 0 counts what is dealt, and the others ask it.
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

}  // namespace fugu::distributed
