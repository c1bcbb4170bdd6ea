// Rows of the difference distribution table with 32-bit counters: 16-bit counters would not fit a block's
// shared memory or would overflow.
#pragma once

#include "kernels/sbox/packed.hpp"
#include "kernels/sbox/row_agent.hpp"

namespace fugu::kernels {

// One thread's tallies of the entries with 1 to 3 pairs.
struct PairTally {
  std::uint32_t found[3] = {};  // entries of 1, 2 and 3 pairs

  // Adds an entry; calls visit(pairs) if it has more than 3 pairs.
  template <class Visit>
  FUGU_HD void add(std::uint32_t pairs, Visit visit) {
    FUGU_UNROLL
    for (unsigned i = 0; i < 3; ++i) found[i] += pairs == i + 1 ? 1u : 0u;
    if (pairs > 3) visit(pairs);
  }
};

// Returns wt(a) + wt(b).
FUGU_HD std::uint32_t weight_of_entry(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(ones(a) + ones(b));
}

}  // namespace fugu::kernels
