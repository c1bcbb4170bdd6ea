// Parts of the Walsh transform on a GPU: fugu/spectral/stages.hpp in device memory.
#pragma once

#include "fugu/device/buffer.hpp"
#include "fugu/export.hpp"

namespace fugu::spectral::cuda {

// The index bits below this one are left to walsh().
inline constexpr int kLeastStridedStage = 14;

// Only the stages of the index bits [first, first + stages), queued on the stream and in place. T as there.
// Throws Error{usage} when data is not whole rows of 2^(first + stages), or first is below
// kLeastStridedStage.
template <class T>
FUGU_EXPORT void walsh_stages(device::DeviceSpan<T> data, int first, int stages,
                              const device::Stream& stream);

}  // namespace fugu::spectral::cuda
