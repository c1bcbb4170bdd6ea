// Lists the device and pinned memory of the process, for tests that look for secrets in it.
//
// The list is kept in builds with FUGU_FAULT_INJECTION only: in others there is nothing to see.
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
// the device's memory. In every build with CUDA. Throws Error{engine}.
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

// Everything that is allocated and not yet given back.
std::vector<HeldMemory> held_memory();

// `look` sees each piece of memory from now on just before it is given back. Its wipe may still be under way
// on a stream of its device. It must not throw; an empty one sees nothing.
void on_release(std::function<void(const HeldMemory&)> look);

}  // namespace fugu::device
