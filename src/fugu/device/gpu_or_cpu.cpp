#include "fugu/device/gpu_or_cpu.hpp"

#include <string>

#include "fugu/device/device.hpp"

namespace fugu::device {

void GpuOrCpu::leave_out(const Error& failure) {
  const bool is_missing = failure.code() == Errc::no_device;
  if (!may_replace_ || (failure.code() != Errc::engine && !is_missing)) throw;
  if (note_ && (!is_missing || !inventory().driver_version.empty()))
    note_("the gpu is left out: " + std::string(failure.text()));
  left_out_ = true;
}

}  // namespace fugu::device
