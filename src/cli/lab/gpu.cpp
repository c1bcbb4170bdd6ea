#include "cli/lab/gpu.hpp"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

#include "cli/process/calibration.hpp"
#include "cli/process/console.hpp"
#include "cli/process/progress.hpp"

namespace fugu::cli {

SpectralEngine spectral_engine(const Arguments& arguments) {
  SpectralEngine engine;
  const std::string name = arguments.value("engine").value_or("auto");
  engine.automatic = name == "auto";
  if (name.starts_with("cuda:")) {
    int index = 0;
    const auto [end, error] = std::from_chars(name.data() + 5, name.data() + name.size(), index);
    if (error == std::errc() && end == name.data() + name.size()) engine.device = index;
  }
  if (!engine.device && !engine.automatic && name != "cpu")
    throw Error(Errc::usage, fmt::format("no engine '{}'; there are auto, cpu and cuda:N", printable(name)));
  const std::string algorithm = arguments.value("algorithm").value_or("fast");
  if (algorithm == "fast") return engine;
  if (algorithm.size() != 1 || algorithm[0] < '0' || algorithm[0] > '6') {
    throw Error(Errc::usage, fmt::format("--algorithm takes fast or 0 to 6, not '{}'", printable(algorithm)));
  }
  engine.algorithm = algorithm[0] - '0';
  engine.automatic = false;
  if (*engine.algorithm == 0 && engine.device) throw Error(Errc::usage, "algorithm 0 is for the cpu");
  if (*engine.algorithm != 0 && name == "cpu") throw Error(Errc::usage, "algorithms 1 to 6 are for gpus");
  if (*engine.algorithm != 0 && !engine.device) engine.device = 0;
  return engine;
}

void Gpu::require(std::uint64_t bytes) const {
  if (bytes <= context.info().memory_bytes) return;
  throw Error(Errc::engine, fmt::format("this takes {} on the gpu, which has {}; use --engine cpu",
                                        bytes_text(static_cast<double>(bytes)),
                                        bytes_text(static_cast<double>(context.info().memory_bytes))));
}

std::optional<int> GpuOfRun::device_for(choice::WorkKind work, double units) const {
  if (!automatic_) return named_;
  const bool has_started = gpu_.has_value() || starting_.valid();  // only the rest of the wait remains
  if (or_cpu_.is_left_out() ||
      !gpu_is_faster({.work = work, .units = units, .threads = threads_, .gpu_has_started = has_started}))
    return std::nullopt;
  return kAutomaticDevice;
}

void GpuOfRun::expect(int device) {
  if (gpu_ || starting_.valid()) return;
  try {
    starting_ = std::async(std::launch::async, [device] { return Gpu(device); });
  } catch (const std::system_error&) {  // no thread available: started() starts it
  }
}

void GpuOfRun::expect(choice::WorkKind work, double units) {
  if (const auto device = device_for(work, units)) expect(*device);
}

const Gpu& GpuOfRun::started(int device) {
  if (!gpu_) gpu_ = starting_.valid() ? starting_.get() : Gpu(device);
  return *gpu_;
}

const Gpu* GpuOfRun::get(int device) {
  return or_cpu_.attempt([&] { return &started(device); }).value_or(nullptr);
}

void GpuOfRun::say_why(const Error& failure) {
  if (failure.code() != Errc::no_device) say_note(device::GpuOrCpu::text_of(failure));
}

std::optional<int> GpuOfRun::used() const {
  return gpu_ && !or_cpu_.is_left_out() ? std::optional(gpu_->context.info().index) : std::nullopt;
}

}  // namespace fugu::cli
