// Makes the Nth CUDA call of the process fail, so that tests can walk a fault through every call.
//
// Every CUDA call of the library is counted here, in this build flavour only: release builds without
// FUGU_FAULT_INJECTION hold neither the counter nor the branch, and fault_injection_built() says so.
#pragma once

#include <cstdint>

namespace fugu::device {

enum class Fault : std::uint8_t { out_of_memory, launch_failure, lost_device };

bool fault_injection_built() noexcept;

// The call with this number, counted from the next one as 1, fails with `fault`; with `sticky`, so do all
// calls after it, as on a device that fell off the bus. Resets the counter.
void inject_fault(std::uint64_t call, Fault fault, bool sticky) noexcept;
void clear_fault() noexcept;

// Calls since the last inject_fault() or clear_fault().
std::uint64_t counted_calls() noexcept;

}  // namespace fugu::device
