// Whether a transform fits its type.
#pragma once

#include <limits>
#include <span>

#include "fugu/spectral/options.hpp"

namespace fugu::spectral {

// Whether the sum of |x| over each row of `row_size` values, a power of two, fits T: it bounds every sum of a
// transform, and of the inverse before its scale. A single value is its own transform. T: std::int32_t,
// std::int64_t; floats always fit, see below. Uses only the threads, pool and stop of `options`.
template <class T>
FUGU_EXPORT bool sums_fit(std::span<const T> values, std::uint64_t row_size,
                          const WalshOptions& options = {});

// The range of floats. Transforms on the CPU detect by themselves that finite floats overflow; for other
// devices this tells in advance whether the results have to be checked.
struct FloatRange {
  bool finite = true;
  int exponent = 0;  // every |x| is then less than 2^exponent

  // Whether rounded sums below 2^growth times such values may exceed T. No if an input is not finite:
  // infinities and NaNs in the input may yield more in the result.
  template <class T>
  bool may_exceed(int growth) const {
    return finite && exponent + growth >= std::numeric_limits<T>::max_exponent;
  }
};

// T: float, double. Uses only the threads, pool and stop of `options`.
template <class T>
FUGU_EXPORT FloatRange float_range(std::span<const T> values, const WalshOptions& options = {});

}  // namespace fugu::spectral
