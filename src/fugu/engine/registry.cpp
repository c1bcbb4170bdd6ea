#include "fugu/engine/registry.hpp"

#include <algorithm>
#include <chrono>

#include "fugu/device/device.hpp"
#include "fugu/engine/cpu/cpu_engine.hpp"
#include "fugu/engine/cpu/kernels.hpp"
#include "fugu/engine/cuda/auto_engine.hpp"
#include "fugu/engine/cuda/cuda_engine.hpp"
#include "fugu/error.hpp"

namespace fugu::engine {
namespace {

constexpr const char* kCudaNeeds = "an NVIDIA GPU of compute capability 7.5 or newer and its driver";

bool is_cuda(std::string_view name) {
  return name.starts_with("cuda");
}

std::string describe(const device::DeviceInfo& info) {
  return info.name + ", " + std::to_string(info.memory_bytes >> 30) + " GiB, compute capability " +
         std::to_string(info.compute_major) + "." + std::to_string(info.compute_minor) + ", " +
         std::to_string(info.multiprocessors) + " multiprocessors";
}

void append_cuda_engines(std::vector<EngineInfo>& engines, const device::Inventory& found) {
  if (found.devices.empty()) {
    engines.push_back({"cuda:0", kCudaNeeds, "", false, found.reason});
    return;
  }
  for (const device::DeviceInfo& info : found.devices)
    engines.push_back({"cuda:" + std::to_string(info.index), kCudaNeeds, describe(info), true, ""});
  engines.push_back(
      {"cuda:all", kCudaNeeds, "all " + std::to_string(found.devices.size()) + " GPUs", true, ""});
}

// "cuda:all" or the number after "cuda:".
std::vector<int> devices_of(std::string_view name) {
  const device::Inventory found = device::inventory();
  std::vector<int> devices;
  for (const device::DeviceInfo& info : found.devices)
    if (name == "cuda:all" || name == "cuda:" + std::to_string(info.index)) devices.push_back(info.index);
  return devices;
}

// All GPUs as one engine, and their names; no engine if there is no GPU.
cuda::Started start_gpus() {
  cuda::Started started;
  const device::Inventory found = device::inventory();
  if (found.devices.empty()) {
    if (!found.driver_version.empty()) throw Error(Errc::no_device, found.reason);
    return started;
  }
  started.machine = std::to_string(found.devices.size()) + " x " + found.devices.front().name;
  started.engine = cuda::make_cuda_engine("cuda:all", devices_of("cuda:all"));
  return started;
}

void append_cpu_engines(std::vector<EngineInfo>& engines, const core::CpuFeatures& features) {
  for (const cpu::KernelRow& row : cpu::kernels()) {
    const std::string missing = row.missing(features);
    engines.push_back({row.name, row.needs, "", missing.empty(),
                       missing.empty() ? "" : "this CPU or system lacks " + missing});
  }
}

std::unique_ptr<Engine> make_available(std::string_view name, const Options& options) {
  for (const cpu::KernelRow& row : cpu::kernels()) {
    if (name == row.name)
      return cpu::make_cpu_engine(row.name, row.kernel(options.features), options.threads);
  }
  if (is_cuda(name)) return cuda::make_cuda_engine(std::string(name), devices_of(name));
  throw Error(Errc::engine, "engine " + std::string(name) + " is listed but cannot be made");
}

// The first engine that this machine can run. Throws Error{no_device} with the first one's reason.
std::string best_of(const std::vector<EngineInfo>& engines) {
  const auto best =
      std::find_if(engines.begin(), engines.end(), [](const EngineInfo& engine) { return engine.available; });
  if (best != engines.end()) return best->name;
  throw Error(Errc::no_device, "engine " + engines.front().name + ": " + engines.front().reason);
}

// Turns "cpu" and "cuda" into the best engine that can run here; any other name stays as it is.
std::string resolve(std::string_view name, const core::CpuFeatures& features) {
  std::vector<EngineInfo> engines;
  if (name == "cuda") append_cuda_engines(engines, device::inventory());
  if (name == "cpu") append_cpu_engines(engines, features);
  return engines.empty() ? std::string(name) : best_of(engines);
}

std::unique_ptr<Engine> make_auto(const std::string& cpu, const Options& options) {
  std::unique_ptr<Engine> on_cpu = make_available(cpu, options);
  if (!device::built_with_cuda()) return on_cpu;
  return cuda::make_auto_engine(std::move(on_cpu),
                                {start_gpus, options.calibration_path, options.note, options.threads});
}

std::string names_of(const std::vector<EngineInfo>& engines) {
  std::string names = "auto, cpu, cuda";
  for (const EngineInfo& engine : engines) names += ", " + engine.name;
  return names;
}

}  // namespace

Calibration calibrate(const Options& options) {
  std::vector<EngineInfo> engines;
  append_cpu_engines(engines, options.features);
  const auto cpu = make_available(best_of(engines), options);
  const auto begin = std::chrono::steady_clock::now();
  const cuda::Started gpu = start_gpus();
  Calibration calibration;
  if (gpu.engine) static_cast<void>(measure_pace(*gpu.engine, Op::ecb_encrypt));
  calibration.gpu_start_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  calibration.machine = cuda::calibration_machine(*cpu, options.threads, gpu.machine);
  for (std::size_t op = 0; op < kOpCount; ++op) {
    calibration.cpu[op] = measure_pace(*cpu, static_cast<Op>(op));
    if (!gpu.engine) continue;
    calibration.gpu[op] = measure_pace(*gpu.engine, static_cast<Op>(op));
    calibration.gpu_ordinary[op] = measure_pace(*gpu.engine, static_cast<Op>(op), CallMemory::ordinary);
  }
  if (gpu.engine && !options.calibration_path.empty())
    static_cast<void>(save_calibration(options.calibration_path, calibration));
  return calibration;
}

std::vector<EngineInfo> list(const Options& options) {
  std::vector<EngineInfo> engines;
  append_cuda_engines(engines, device::inventory());
  append_cpu_engines(engines, options.features);
  return engines;
}

std::unique_ptr<Engine> make(std::string_view given, const Options& options) {
  const std::string name = resolve(given, options.features);
  std::vector<EngineInfo> engines;
  if (is_cuda(name)) append_cuda_engines(engines, device::inventory());  // others leave the driver alone
  append_cpu_engines(engines, options.features);
  if (name == "auto") return make_auto(best_of(engines), options);
  const auto found = std::find_if(engines.begin(), engines.end(),
                                  [&name](const EngineInfo& engine) { return engine.name == name; });
  if (found == engines.end() && is_cuda(name) && !engines.front().available)
    throw Error(Errc::no_device, "engine " + name + ": " + engines.front().reason);
  if (found == engines.end()) {
    throw Error(Errc::usage, "no engine " + name + "; there are " + names_of(list(options)));
  }
  if (!found->available) throw Error(Errc::no_device, "engine " + found->name + ": " + found->reason);
  return make_available(found->name, options);
}

}  // namespace fugu::engine
