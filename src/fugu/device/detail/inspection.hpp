// For tests: the device and pinned memory of the process, which they search for secrets, and CUDA calls that
// fail.
//
// Only builds with FUGU_FAULT_INJECTION keep the list and count the library's CUDA calls: in others the list
// is empty, and fault_injection_built() says so.
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

// Makes the Nth CUDA call of the process fail.
enum class Fault : std::uint8_t { out_of_memory, launch_failure, lost_device };

bool fault_injection_built() noexcept;

// The call with this number, counting from 1 for the next one, fails with `fault`; with `sticky`, so do all
// calls after it, as on a lost device. Resets the counter.
void inject_fault(std::uint64_t call, Fault fault, bool sticky) noexcept;
void clear_fault() noexcept;

// Calls since the last inject_fault() or clear_fault().
std::uint64_t counted_calls() noexcept;

}  // namespace fugu::device
