// Lists the device and pinned memory of the process, for tests that search it for secrets.
//
// The list is kept only in builds with FUGU_FAULT_INJECTION; in others it is empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace fugu::device {

enum class Place : std::uint8_t { device, pinned };

struct HeldMemory {
  std::byte* data;
  std::size_t bytes;
  Place place;
};

// Whether any library of the process has started this device: its primary CUDA context holds some 0.5 GB of
// the device's memory. Available in every build with CUDA. Throws Error{engine}.
bool has_primary_context(int device_index);

// The calling thread's current device, and whether a CUDA context of it is current too.
struct ThreadDevice {
  int index;
  bool has_context;
  friend bool operator==(const ThreadDevice&, const ThreadDevice&) = default;
};
ThreadDevice thread_device();
// Does the same as another library's cudaSetDevice().
void set_thread_device(int device_index);

// All memory allocated and not yet freed.
std::vector<HeldMemory> held_memory();

// Calls `look` for each piece of memory from now on, just before it is freed. Its wipe may still be queued on
// a stream of its device. `look` must not throw; an empty one turns this off.
void on_release(std::function<void(const HeldMemory&)> look);

}  // namespace fugu::device
