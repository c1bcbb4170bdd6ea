// Parts of the Walsh transform, for callers whose values do not fit one memory.
#pragma once

#include <span>

#include "fugu/export.hpp"
#include "fugu/spectral/options.hpp"

namespace fugu::spectral {

// Only the stages of the index bits [first, first + stages), in place: x(i), x(i + 2^b) become their sum and
// difference for each of these bits b. The stages commute; all of them together are walsh(). T as there. Of
// `options` only threads, pool, isa and stop are used. Throws Error{usage} when data is not whole rows of
// 2^(first + stages).
template <class T>
FUGU_EXPORT void walsh_stages(std::span<T> data, int first, int stages, const WalshOptions& options = {});

// Divides by 2^log2_size, the scale of the inverse; false if an integer has a remainder.
template <class T>
FUGU_EXPORT bool divide_by_power(std::span<T> data, int log2_size);

}  // namespace fugu::spectral
