// Clears secrets in a way that the compiler cannot optimise away. Host only.
#pragma once

#include <cstddef>

#include "fugu/export.hpp"

namespace fugu::core {

FUGU_EXPORT void wipe(void* memory, std::size_t bytes) noexcept;

// Like wipe(), but does not allocate pages that were never touched: 23 of 27 ms for a line through a pipe
// (small_files_intel_r_xeon_r_processor.csv at 25ce3044). Private anonymous memory only. What was swapped out
// reads as zeros too, though the device keeps it until it is written again; keys are locked in memory where
// that is allowed.
FUGU_EXPORT void wipe_touched(void* memory, std::size_t bytes) noexcept;

}  // namespace fugu::core
