// Launchers of the transparency order.
#pragma once

#include <cstdint>

#include "kernels/sbox/sbox_launch.hpp"

namespace fugu::kernels {

inline constexpr int kMostTransparencyOutputs = 16;

// Writes (-1)^(output j of S(x)) to signs[j * size + x] for all j < outputs and x < size.
struct CoordinateSigns {
  int outputs;
  std::uint32_t size;
  const std::uint32_t* values;
  std::int64_t* signs;
};
int launch_coordinate_signs(const CoordinateSigns& all, CUstream_st* stream);

// Adds the sum over a, 0 < a < size, of |sum over j of (-1)^beta_j r(a,2^j)| to totals[beta],
// beta < 2^(outputs - 1).
//   outputs  at most kMostTransparencyOutputs
//   r        r(a,2^j) is r[j * size + a]
struct TransparencyTotals {
  int outputs;
  std::uint32_t size;
  const std::int64_t* r;
  std::uint64_t* totals;
};
int launch_transparency_totals(const TransparencyTotals& all, CUstream_st* stream);

}  // namespace fugu::kernels
