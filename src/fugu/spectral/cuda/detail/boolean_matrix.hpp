// Statistics of Boolean functions by a GPU's matrix units. Internal.
#pragma once

#include <cstdint>
#include <optional>

#include "fugu/spectral/cuda/walsh.hpp"

namespace fugu::spectral::cuda {

// Both return null if the GPU, the number of variables or the memory's alignment does not suit the matrix
// units, or if values left the range in which they are exact, as those of functions far from random do. Both
// wait for the result.
std::optional<std::uint64_t> max_abs_by_matrix_units(device::DeviceSpan<const std::uint32_t> words,
                                                     int variables, const device::Stream& stream);
std::optional<SpectrumCounts> count_by_matrix_units(device::DeviceSpan<const std::uint32_t> words,
                                                    int variables, const device::Stream& stream);

}  // namespace fugu::spectral::cuda
