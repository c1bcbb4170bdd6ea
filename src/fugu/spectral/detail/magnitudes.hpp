// |x|, largest and summed up. Internal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "fugu/core/butterfly.hpp"

namespace fugu::spectral::detail {

using core::magnitude;

// The sum of |x|, at most `cap`.
template <class T>
std::uint64_t capped_sum(std::span<const T> values, std::uint64_t cap) {
  std::uint64_t sum = 0;
  for (const T x : values) sum += std::min<std::uint64_t>(magnitude(x), cap - sum);
  return sum;
}

template <class T>
std::uint64_t largest_magnitude(std::span<const T> values) {
  std::uint64_t largest = 0;
  for (const T x : values) largest = std::max<std::uint64_t>(largest, magnitude(x));
  return largest;
}

}  // namespace fugu::spectral::detail
