// Clearing secrets so that the compiler cannot leave it out. Host only.
#pragma once

#include <cstddef>

namespace fugu::core {

void wipe(void* memory, std::size_t bytes) noexcept;

// The same for memory of a process's own of which much may never have been touched: pages that are not in
// memory are left out. Those that the system has not given yet hold nothing, and wiping them would only fetch
// them: 23 of 27 ms for a line through a pipe (tools/bench/results/small_files_intel_r_xeon_r_processor.csv).
// What was swapped out stays there; keys are locked in memory where that is allowed.
void wipe_touched(void* memory, std::size_t bytes) noexcept;

}  // namespace fugu::core
