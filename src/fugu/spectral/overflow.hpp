// Floats that exceed their type.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "fugu/error.hpp"

namespace fugu::spectral {

// Throws Error{usage} when a result of finite floats is infinite or NaN. T: float, double.
template <class T>
void require_finite(std::span<const T> results) {
  if (std::ranges::all_of(results, [](T x) { return std::isfinite(x); })) return;
  throw Error(Errc::usage,
              std::string("the result exceeds ") + (sizeof(T) == 4 ? "float32: give float64 or smaller values"
                                                                   : "float64: give smaller values"));
}

}  // namespace fugu::spectral
