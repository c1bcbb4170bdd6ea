// Whether a transform fits its integer type.
#pragma once

#include <cstdint>
#include <span>

#include "fugu/export.hpp"
#include "fugu/spectral/walsh.hpp"

namespace fugu::spectral {

// Whether the sum of |x| over each row of `row_size` values, a power of two, fits T: it bounds every sum of a
// transform, and of the inverse before its scale. A single value is its own transform. T: std::int32_t,
// std::int64_t; floats always fit. Of `options` only threads, pool and stop are used.
template <class T>
FUGU_EXPORT bool sums_fit(std::span<const T> values, std::uint64_t row_size,
                          const WalshOptions& options = {});

}  // namespace fugu::spectral
