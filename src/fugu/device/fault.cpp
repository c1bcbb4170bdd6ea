// The counter behind FUGU_CUDA_CHECK in builds that test failures.
#include "fugu/device/detail/inspection.hpp"

#include <atomic>

#include "fugu/device/detail/cuda_check.hpp"

namespace fugu::device {

#if defined(FUGU_FAULT_INJECTION)

namespace {

std::atomic<std::uint64_t> calls = 0;
std::atomic<std::uint64_t> failing_call = 0;  // 0: none
std::atomic<cudaError_t> failure = cudaSuccess;
std::atomic<bool> sticky_failure = false;

cudaError_t error_of(Fault fault) {
  if (fault == Fault::out_of_memory) return cudaErrorMemoryAllocation;
  return fault == Fault::launch_failure ? cudaErrorLaunchFailure : cudaErrorDevicesUnavailable;
}

}  // namespace

bool detail::count_call(cudaError_t& status) noexcept {
  const std::uint64_t call = ++calls;
  const std::uint64_t first = failing_call;
  if (first == 0 || call < first || (call > first && !sticky_failure)) return false;
  status = failure;
  return true;
}

bool fault_injection_built() noexcept {
  return true;
}

void inject_fault(std::uint64_t call, Fault fault, bool sticky) noexcept {
  failing_call = 0;
  failure = error_of(fault);
  sticky_failure = sticky;
  calls = 0;
  failing_call = call;
}

void clear_fault() noexcept {
  failing_call = 0;
  calls = 0;
}

std::uint64_t counted_calls() noexcept {
  return calls;
}

#else

bool fault_injection_built() noexcept {
  return false;
}
void inject_fault(std::uint64_t, Fault, bool) noexcept {}
void clear_fault() noexcept {}
std::uint64_t counted_calls() noexcept {
  return 0;
}

#endif

}  // namespace fugu::device
