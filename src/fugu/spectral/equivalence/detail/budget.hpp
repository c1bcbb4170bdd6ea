// The steps of a search: counted, limited, interruptible. Internal.
#pragma once

#include <cstdint>

#include "fugu/spectral/detail/parallel.hpp"
#include "fugu/spectral/equivalence/equivalence.hpp"

namespace fugu::spectral::detail {

class Budget {
 public:
  explicit Budget(const SearchOptions& options) : options_(options) {}

  // Returns false if no step is left. Throws Error{interrupted}.
  bool spend(std::uint64_t steps = 1) {
    throw_if_stopped(options_.stop);
    if (is_spent()) return false;
    steps_ += steps;
    if (options_.done) options_.done(steps);
    return true;
  }

  // Between the parts of a step. Throws as spend() does.
  void look() const {
    throw_if_stopped(options_.stop);
    if (options_.done) options_.done(0);
  }

  bool is_spent() const { return options_.most_steps != 0 && steps_ >= options_.most_steps; }
  std::uint64_t steps() const { return steps_; }

 private:
  const SearchOptions& options_;
  std::uint64_t steps_ = 0;
};

}  // namespace fugu::spectral::detail
