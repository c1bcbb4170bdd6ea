// The steps of a search: counted, limited in time, interruptible. Internal.
#pragma once

#include "fugu/spectral/detail/parallel.hpp"
#include "fugu/spectral/equivalence/equivalence.hpp"

namespace fugu::spectral::detail {

// Thrown where the deadline is noticed. No function of the library lets it out.
struct OutOfTime {};

inline void throw_if_late(Deadline deadline, Clock clock) {
  if (clock() >= deadline) throw OutOfTime();
}

class Budget {
 public:
  explicit Budget(const SearchOptions& options) : options_(options) {}

  // Before steps of some milliseconds at most. Throws Error{interrupted} and OutOfTime.
  void spend(std::uint64_t steps = 1) {
    check();
    steps_ += steps;
    if (options_.done) options_.done(steps);
  }

  // Between the parts of a longer step. Throws as spend() does.
  void look() const {
    check();
    if (options_.done) options_.done(0);
  }

  std::uint64_t steps() const { return steps_; }

 private:
  void check() const {
    throw_if_stopped(options_.stop);
    throw_if_late(options_.deadline, options_.clock);
  }

  const SearchOptions& options_;
  std::uint64_t steps_ = 0;
};

}  // namespace fugu::spectral::detail
