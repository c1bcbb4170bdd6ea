// What tests look into: devices and threads, and in test builds the list behind held_memory() and the counter
// behind FUGU_CUDA_CHECK.
#include "fugu/device/detail/inspection.hpp"

#include <algorithm>
#include <mutex>

#include "fugu/device/detail/cuda_check.hpp"
#include "fugu/device/detail/state.hpp"

namespace fugu::device {

bool has_primary_context(int device_index) {
  bool active = false;
  FUGU_CUDA_CHECK_AS("cuDevicePrimaryCtxGetState",
                     detail::driver::is_primary_context_active(device_index, active));
  return active;
}

ThreadDevice thread_device() {
  int index = 0;
  CUcontext context = nullptr;
  FUGU_CUDA_CHECK(cudaGetDevice(&index));
  FUGU_CUDA_CHECK_AS("cuCtxGetCurrent", detail::driver::current_context(context));
  return {index, context != nullptr};
}

void set_thread_device(int device_index) {
  FUGU_CUDA_CHECK(cudaSetDevice(device_index));
}

#if defined(FUGU_FAULT_INJECTION)

namespace {

struct Inspection {
  std::mutex mutex;
  std::vector<HeldMemory> held;
  std::function<void(const HeldMemory&)> look;
};

Inspection& inspection() {
  static Inspection one;
  return one;
}

std::atomic<std::uint64_t> calls = 0;
std::atomic<std::uint64_t> failing_call = 0;  // 0: none
std::atomic<cudaError_t> failure = cudaSuccess;
std::atomic<bool> sticky_failure = false;

cudaError_t error_of(Fault fault) {
  if (fault == Fault::out_of_memory) return cudaErrorMemoryAllocation;
  return fault == Fault::launch_failure ? cudaErrorLaunchFailure : cudaErrorDevicesUnavailable;
}

}  // namespace

void detail::note_held(const HeldMemory& memory) {
  const std::scoped_lock lock(inspection().mutex);
  inspection().held.push_back(memory);
}

void detail::note_release(const std::byte* data) noexcept {
  const std::scoped_lock lock(inspection().mutex);
  std::vector<HeldMemory>& held = inspection().held;
  const auto found = std::ranges::find(held, data, &HeldMemory::data);
  if (inspection().look) inspection().look(*found);
  held.erase(found);
}

std::vector<HeldMemory> held_memory() {
  const std::scoped_lock lock(inspection().mutex);
  return inspection().held;
}

void on_release(std::function<void(const HeldMemory&)> look) {
  const std::scoped_lock lock(inspection().mutex);
  inspection().look = std::move(look);
}

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

std::vector<HeldMemory> held_memory() {
  return {};
}
void on_release(std::function<void(const HeldMemory&)>) {}
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
