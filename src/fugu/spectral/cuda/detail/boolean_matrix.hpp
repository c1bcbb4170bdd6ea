// Statistics of Boolean functions by a GPU's matrix units. Internal.
#pragma once

#include <cstdint>
#include <optional>

#include "fugu/spectral/cuda/walsh.hpp"

namespace fugu::spectral::cuda {

// Null where the GPU, the number of variables or the memory's alignment is none for them, or where values
// left the range in which they are exact: of functions far from random ones. Both wait.
std::optional<std::uint64_t> max_abs_by_matrix_units(device::DeviceSpan<const std::uint32_t> words,
                                                     int variables, const device::Stream& stream);
std::optional<SpectrumCounts> count_by_matrix_units(device::DeviceSpan<const std::uint32_t> words,
                                                    int variables, const device::Stream& stream);

}  // namespace fugu::spectral::cuda
