// The list behind held_memory(), in builds that test.
#include "fugu/device/detail/inspection.hpp"

#include <algorithm>
#include <mutex>

#include "fugu/device/detail/state.hpp"

namespace fugu::device {

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
