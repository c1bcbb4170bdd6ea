// The GPUs of this machine, and the properties of each that tuning policies and listings need.
//
// Everything under fugu/device exists in every build: without CUDA the same functions report that there is no
// device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fugu/export.hpp"

namespace fugu::device {

struct DeviceInfo {
  int index = 0;
  std::string name;
  std::uint64_t memory_bytes = 0;
  int compute_major = 0;
  int compute_minor = 0;
  int multiprocessors = 0;
  int max_threads_per_block = 0;
  std::size_t shared_bytes_per_block = 0;  // with the opt-in above 48 KiB
  std::size_t l2_bytes = 0;
  int clock_khz = 0;  // the processor's highest clock
};

struct Inventory {
  std::vector<DeviceInfo> devices;
  std::string reason;          // why there is no device; empty when there is one
  std::string driver_version;  // "13.0"; empty without a driver
};

// Never throws: a missing driver, one that is too old, or a build without CUDA is reported as the reason.
// Creates no context, but the first call may take tenths of a second in the driver.
FUGU_EXPORT Inventory inventory();

// The index of the device that holds `data`, a pointer from any library. Throws Error{usage} for a pointer
// that is not to device memory, Error{no_device} in a build without CUDA.
FUGU_EXPORT int device_of(const void* data);

// Whether this build holds CUDA code. Costs nothing and touches no driver.
FUGU_EXPORT bool built_with_cuda() noexcept;

}  // namespace fugu::device
