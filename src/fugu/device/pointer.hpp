// Tells which device owns the memory behind a pointer of another library.
#pragma once

#include "fugu/export.hpp"

namespace fugu::device {

// The index of the device that holds `data`. Throws Error{usage} for a pointer into no device's memory,
// Error{no_device} in a build without CUDA.
FUGU_EXPORT int device_of(const void* data);

}  // namespace fugu::device
