// Floats that exceed their type.
#pragma once

#include <span>

#include "fugu/export.hpp"

namespace fugu::spectral {

// Throws Error{usage} when a result of finite floats is infinite or NaN. T: float, double.
template <class T>
FUGU_EXPORT void require_finite(std::span<const T> results);

}  // namespace fugu::spectral
