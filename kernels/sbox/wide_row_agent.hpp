// Rows of the difference distribution table whose counters do not fit a block's shared memory two to a word,
// or would count too far: 32 bits each.
#pragma once

#include "kernels/sbox/packed.hpp"
#include "kernels/sbox/row_agent.hpp"

namespace fugu::kernels {

// Entries of rows with few pairs, counted by one thread.
struct PairTally {
  std::uint32_t found[3] = {};  // entries of 1, 2 and 3 pairs

  // visit(pairs) for entries of more.
  template <class Visit>
  FUGU_HD void add(std::uint32_t pairs, Visit visit) {
    FUGU_UNROLL
    for (unsigned i = 0; i < 3; ++i) found[i] += pairs == i + 1 ? 1u : 0u;
    if (pairs > 3) visit(pairs);
  }
};

// wt(a) + wt(b).
FUGU_HD std::uint32_t weight_of_entry(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(ones(a) + ones(b));
}

}  // namespace fugu::kernels
