// The index computation for reordering a spectrum.
#pragma once

#include "fugu/core/butterfly.hpp"

namespace fugu::kernels {

struct Reordering {
  int log2_size;
  bool gray;  // sequency order, otherwise dyadic
  bool back;  // from that order to the natural one
};

// Returns the index in the batch of the value that moves to index `at`.
FUGU_HD std::uint64_t reorder_source(const Reordering& reordering, std::uint64_t at) {
  const std::uint64_t mask = (std::uint64_t{1} << reordering.log2_size) - 1;
  std::uint64_t k = at & mask;
  if (reordering.gray && !reordering.back) k = core::gray_code(k);
  k = core::reverse_bits(k, reordering.log2_size);
  if (reordering.gray && reordering.back) k = core::gray_inverse(k);
  return (at & ~mask) | k;
}

}  // namespace fugu::kernels
