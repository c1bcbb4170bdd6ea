// Sums of |x|. Internal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "fugu/core/magnitude.hpp"

namespace fugu::spectral::detail {

using core::magnitude;

// The sum of |x|, at most `cap`.
inline std::uint64_t capped_sum(std::span<const std::int64_t> values, std::uint64_t cap) {
  std::uint64_t sum = 0;
  for (const std::int64_t x : values) sum += std::min(magnitude(x), cap - sum);
  return sum;
}

}  // namespace fugu::spectral::detail
