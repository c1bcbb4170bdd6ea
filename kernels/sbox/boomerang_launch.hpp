// Launcher of the boomerang tables.
#pragma once

#include <cstdint>

#include "kernels/sbox/sbox_launch.hpp"

namespace fugu::kernels {

// Computes the rows a, first <= a < last, a != 0, of the boomerang connectivity table, beta(a,b), and of its
// Feistel counterpart, phi(a,b), of a box of `bits` inputs and outputs. Value has 16 bits up to
// kMostBlockBits, 32 bits above.
//   before    workspace: 2^(bits - 1) values for each of at most `blocks` blocks
//   counters  workspace, for 32-bit values only: 2^bits words per block, all 0
//   beta      2^(bits - 1) + 1 counters of the entries beta != 0, indexed by beta / 2
//   phi       2^(bits - 1) + 1 counters of the entries phi != 0, b != 0, b != a, indexed by phi / 4; b and
//             b + a count as one
//   is_no_permutation  set to 1 when the box is not a permutation: all results are then invalid
template <class Value>
struct BoomerangRows {
  int bits;
  const Value* values;
  std::uint32_t first;
  std::uint32_t last;
  std::uint32_t blocks;
  Value* before;
  std::uint32_t* counters;
  std::uint64_t* beta;
  std::uint64_t* phi;
  std::uint32_t* is_no_permutation;
};
int launch_boomerang_rows(const BoomerangRows<std::uint16_t>& rows, CUstream_st* stream);
int launch_boomerang_rows(const BoomerangRows<std::uint32_t>& rows, CUstream_st* stream);

}  // namespace fugu::kernels
