// The list behind held_memory(), in test builds.
#include "fugu/device/detail/inspection.hpp"

#include <algorithm>
#include <mutex>

#include "fugu/device/detail/cuda_check.hpp"
#include "fugu/device/detail/driver.hpp"
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

#else

std::vector<HeldMemory> held_memory() {
  return {};
}
void on_release(std::function<void(const HeldMemory&)>) {}

#endif

}  // namespace fugu::device
