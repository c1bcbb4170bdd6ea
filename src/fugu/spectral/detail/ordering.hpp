// Reordering of batches on several threads. Internal.
#pragma once

#include "fugu/spectral/detail/parallel.hpp"

namespace fugu::spectral::detail {

enum class Reorder : std::uint8_t { from_natural, to_natural };

// Reorders every row of 2^log2_size values: a single row on all workers, several with one row per worker.
template <class T>
void reorder(std::span<T> data, int log2_size, Ordering ordering, Reorder direction, const Workers& workers);

}  // namespace fugu::spectral::detail
