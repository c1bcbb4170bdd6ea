// Asks the driver for the device of a pointer.
#include "fugu/device/pointer.hpp"

#include "fugu/device/detail/driver.hpp"
#include "fugu/error.hpp"

namespace fugu::device {

int device_of(const void* data) {
  int index = 0;
  if (detail::driver::device_of_pointer(data, index) != cudaSuccess)
    throw Error(Errc::usage, "the pointer names no memory that a gpu knows");
  return index;
}

}  // namespace fugu::device
