#include "cli/spectral/gpu.hpp"

#include <fmt/format.h>

#include <system_error>

#include "cli/process/console.hpp"
#include "cli/process/progress.hpp"

namespace fugu::cli {

void Gpu::require(std::uint64_t bytes) const {
  if (bytes <= context.info().memory_bytes) return;
  throw Error(Errc::engine, fmt::format("this takes {} on the gpu, which has {}; use --engine cpu",
                                        bytes_text(static_cast<double>(bytes)),
                                        bytes_text(static_cast<double>(context.info().memory_bytes))));
}

void GpuOfRun::expect(int device) {
  if (gpu_ || starting_.valid()) return;
  try {
    starting_ = std::async(std::launch::async, [device] { return Gpu(device); });
  } catch (const std::system_error&) {  // no thread available: get() starts it
  }
}

const Gpu& GpuOfRun::get(int device) {
  if (!gpu_) gpu_ = starting_.valid() ? starting_.get() : Gpu(device);
  return *gpu_;
}

std::optional<int> GpuOfRun::used() const {
  return gpu_ && !left_out_ ? std::optional(gpu_->context.info().index) : std::nullopt;
}

void GpuOfRun::leave_out(const Error& failure) {
  if (failure.code() != Errc::engine && failure.code() != Errc::no_device) throw;
  if (failure.code() != Errc::no_device) say_note(fmt::format("the gpu is left out: {}", failure.text()));
  left_out_ = true;
}

}  // namespace fugu::cli
