// |x| of integers, without overflow. Internal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>

namespace fugu::spectral::detail {

template <class T>
std::make_unsigned_t<T> magnitude(T value) {
  const auto bits = static_cast<std::make_unsigned_t<T>>(value);
  return value < 0 ? static_cast<std::make_unsigned_t<T>>(0 - bits) : bits;
}

// The sum of |x|, at most `cap`.
inline std::uint64_t capped_sum(std::span<const std::int64_t> values, std::uint64_t cap) {
  std::uint64_t sum = 0;
  for (const std::int64_t x : values) sum += std::min(magnitude(x), cap - sum);
  return sum;
}

}  // namespace fugu::spectral::detail
