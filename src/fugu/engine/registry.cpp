#include "fugu/engine/registry.hpp"

#include <algorithm>

#include "fugu/device/device.hpp"
#include "fugu/device/gpu_or_cpu.hpp"
#include "fugu/engine/cpu/kernels.hpp"
#include "fugu/engine/cuda/cuda_engine.hpp"
#include "fugu/engine/detail/on_cpu.hpp"
#include "fugu/error.hpp"
#include "fugu/platform/system.hpp"

namespace fugu::engine {
namespace {

constexpr double kCudaByteSeconds = 2.2e-11;
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
    engines.push_back({"cuda:0", kCudaNeeds, "", false, found.reason, kCudaByteSeconds});
    return;
  }
  for (const device::DeviceInfo& info : found.devices)
    engines.push_back(
        {"cuda:" + std::to_string(info.index), kCudaNeeds, describe(info), true, "", kCudaByteSeconds});
  engines.push_back({"cuda:all", kCudaNeeds, "all " + std::to_string(found.devices.size()) + " GPUs", true,
                     "", kCudaByteSeconds});
}

// "cuda:all" or the number after "cuda:".
std::vector<int> devices_of(std::string_view name) {
  const device::Inventory found = device::inventory();
  std::vector<int> devices;
  for (const device::DeviceInfo& info : found.devices)
    if (name == "cuda:all" || name == "cuda:" + std::to_string(info.index)) devices.push_back(info.index);
  return devices;
}

void append_cpu_engines(std::vector<EngineInfo>& engines, const core::CpuFeatures& features) {
  for (const cpu::KernelRow& row : cpu::kernels()) {
    const std::string missing = row.missing(features);
    engines.push_back({row.name, row.needs, "", missing.empty(),
                       missing.empty() ? "" : "this CPU or system lacks " + missing, row.byte_seconds});
  }
}

std::unique_ptr<Engine> make_available(std::string_view name, const Options& options,
                                       const core::CpuFeatures& features) {
  for (const cpu::KernelRow& row : cpu::kernels())
    if (name == row.name) return cpu::make_cpu_engine(row.name, row.kernel(features), options.threads);
  if (is_cuda(name)) return cuda::make_cuda_engine(std::string(name), devices_of(name), options.threads);
  throw Error(Errc::engine, "engine " + std::string(name) + " is listed but cannot be created");
}

// The first engine that this machine can run. Throws Error{no_device} with the first one's reason.
const EngineInfo& best_of(const std::vector<EngineInfo>& engines) {
  const auto best =
      std::find_if(engines.begin(), engines.end(), [](const EngineInfo& engine) { return engine.available; });
  if (best != engines.end()) return *best;
  throw Error(Errc::no_device, "engine " + engines.front().name + ": " + engines.front().reason);
}

// Turns "cpu" and "cuda" into the best engine that can run here; any other name stays as it is.
std::string resolve(std::string_view name, const core::CpuFeatures& features) {
  std::vector<EngineInfo> engines;
  if (name == "cuda") append_cuda_engines(engines, device::inventory());
  if (name == "cpu") append_cpu_engines(engines, features);
  return engines.empty() ? std::string(name) : best_of(engines).name;
}

// A first call is part of the start: what fails in it must fail before any output exists.
std::unique_ptr<Engine> start_gpu(unsigned threads) {
  std::unique_ptr<Engine> gpu = cuda::make_cuda_engine("cuda:0", {0}, threads);
  std::array<std::byte, core::kBlockBytes> block{};
  cipher::Schedule schedule;
  cipher::expand(block, schedule);
  const Segment segment{.schedule = &schedule, .in = block, .out = block};
  gpu->run(Op::ecb_encrypt, {&segment, 1});
  return gpu;
}

// One GPU: reading and writing files leaves more of them idle.
std::unique_ptr<Engine> make_auto(const EngineInfo& cpu, const Options& options,
                                  const core::CpuFeatures& features) {
  if (device::built_with_cuda() && options.calibration.gpu_is_faster(amount_of(cpu, options))) {
    device::GpuOrCpu gpu(true, [&](const Error& failure) {
      const bool has_driver =
          failure.code() != Errc::no_device || !device::inventory().driver_version.empty();
      if (options.note && has_driver) options.note(device::GpuOrCpu::text_of(failure));
    });
    if (auto started = gpu.attempt([&] { return start_gpu(options.threads); })) return *std::move(started);
  }
  return make_available(cpu.name, options, features);
}

std::string names_of(const std::vector<EngineInfo>& engines) {
  std::string names = "auto, cpu, cuda";
  for (const EngineInfo& engine : engines) names += ", " + engine.name;
  return names;
}

}  // namespace

choice::Amount amount_of(const EngineInfo& cpu, const Options& options) {
  return {.work = choice::WorkKind::cipher,
          .units = static_cast<double>(options.expected_bytes),
          .threads = options.threads != 0 ? options.threads : platform::usable_processors(),
          .files = static_cast<double>(options.expected_files),
          .of_engines = {options.calibration.seconds_of(cpu.name, cpu.byte_seconds),
                         options.calibration.seconds_of("cuda:0", kCudaByteSeconds)}};
}

std::vector<EngineInfo> list() {
  return list(core::detect_cpu_features());
}

std::unique_ptr<Engine> make(std::string_view name, const Options& options) {
  return make(name, options, core::detect_cpu_features());
}

std::vector<EngineInfo> list(const core::CpuFeatures& features) {
  std::vector<EngineInfo> engines;
  append_cuda_engines(engines, device::inventory());
  append_cpu_engines(engines, features);
  return engines;
}

std::unique_ptr<Engine> make(std::string_view given, const Options& options,
                             const core::CpuFeatures& features) {
  const std::string name = resolve(given, features);
  std::vector<EngineInfo> engines;
  if (is_cuda(name)) append_cuda_engines(engines, device::inventory());  // no other name needs the driver
  append_cpu_engines(engines, features);
  if (name == "auto") return make_auto(best_of(engines), options, features);
  const auto found = std::find_if(engines.begin(), engines.end(),
                                  [&name](const EngineInfo& engine) { return engine.name == name; });
  if (found == engines.end() && is_cuda(name) && !engines.front().available)
    throw Error(Errc::no_device, "engine " + name + ": " + engines.front().reason);
  if (found == engines.end())
    throw Error(Errc::usage, "no engine '" + name + "'; choose from " + names_of(list(features)));
  if (!found->available) throw Error(Errc::no_device, "engine " + found->name + ": " + found->reason);
  return make_available(found->name, options, features);
}

}  // namespace fugu::engine
