// Finds the device that owns the memory behind a pointer from another library.
#pragma once

#include "fugu/export.hpp"

namespace fugu::device {

// The index of the device that holds `data`. Throws Error{usage} for a pointer that is not to device memory,
// Error{no_device} in a build without CUDA.
FUGU_EXPORT int device_of(const void* data);

}  // namespace fugu::device
