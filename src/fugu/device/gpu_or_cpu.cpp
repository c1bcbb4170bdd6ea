#include "fugu/device/gpu_or_cpu.hpp"

namespace fugu::device {

void GpuOrCpu::leave_out(const Error& failure) {
  const bool is_of_gpu =
      failure.code() == Errc::engine || failure.code() == Errc::no_device || failure.code() == Errc::memory;
  if (!may_replace_ || !is_of_gpu) throw;
  if (note_) note_(failure);
  left_out_ = true;
}

}  // namespace fugu::device
