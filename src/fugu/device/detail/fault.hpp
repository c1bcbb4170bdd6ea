// Makes the Nth CUDA call of the process fail, so that tests can inject a fault into every call.
//
// Only this build flavour counts the library's CUDA calls: builds without FUGU_FAULT_INJECTION hold neither
// the counter nor the branch, and fault_injection_built() says so.
#pragma once

#include <cstdint>

namespace fugu::device {

enum class Fault : std::uint8_t { out_of_memory, launch_failure, lost_device };

bool fault_injection_built() noexcept;

// The call with this number, counting from 1 for the next one, fails with `fault`; with `sticky`, so do all
// calls after it, as on a lost device. Resets the counter.
void inject_fault(std::uint64_t call, Fault fault, bool sticky) noexcept;
void clear_fault() noexcept;

// Calls since the last inject_fault() or clear_fault().
std::uint64_t counted_calls() noexcept;

}  // namespace fugu::device
