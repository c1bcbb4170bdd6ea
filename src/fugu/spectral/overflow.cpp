#include "fugu/spectral/overflow.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "fugu/error.hpp"

namespace fugu::spectral {

template <class T>
void require_finite(std::span<const T> results) {
  if (std::ranges::all_of(results, [](T x) { return std::isfinite(x); })) return;
  throw Error(Errc::usage,
              std::string("the result exceeds ") + (sizeof(T) == 4 ? "float32: give float64 or smaller values"
                                                                   : "float64: give smaller values"));
}

template void require_finite(std::span<const float>);
template void require_finite(std::span<const double>);

}  // namespace fugu::spectral
