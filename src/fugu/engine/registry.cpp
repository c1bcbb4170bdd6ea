#include "fugu/engine/registry.hpp"

#include <algorithm>

#include "fugu/engine/cpu/avx512vbmi.hpp"
#include "fugu/engine/cpu/cpu_engine.hpp"
#include "fugu/engine/cpu/scalar.hpp"
#include "fugu/error.hpp"

namespace fugu::engine {
namespace {

void append_cuda_engines(std::vector<EngineInfo>& engines) {
  engines.push_back({"cuda", "an NVIDIA GPU", "", false, "built without CUDA"});
}

std::string missing_for_avx512vbmi(const CpuFeatures& features) {
  std::string missing;
  const auto need = [&missing](bool present, const char* name) {
    if (!present) missing += std::string(missing.empty() ? "" : ", ") + name;
  };
  need(features.avx512f, "AVX-512 F");
  need(features.avx512bw, "AVX-512 BW");
  need(features.avx512vl, "AVX-512 VL");
  need(features.avx512vbmi, "AVX-512 VBMI");
  return missing;
}

void append_cpu_engines(std::vector<EngineInfo>& engines, const CpuFeatures& features) {
  const std::string missing = missing_for_avx512vbmi(features);
  engines.push_back({"cpu/avx512vbmi", "a CPU with AVX-512 F, BW, VL and VBMI", "", missing.empty(),
                     missing.empty() ? "" : "this CPU or system lacks " + missing});
  engines.push_back({"cpu/scalar", "any CPU", "", true, ""});
}

std::unique_ptr<Engine> make_available(std::string_view name, const Options& options) {
  if (name == "cpu/scalar") return cpu::make_cpu_engine("cpu/scalar", cpu::run_scalar, options.threads);
  if (name == "cpu/avx512vbmi") {
    return cpu::make_cpu_engine("cpu/avx512vbmi", cpu::avx512vbmi_kernel(options.features), options.threads);
  }
  throw Error(Errc::engine, "engine " + std::string(name) + " is listed but cannot be made");
}

std::string names_of(const std::vector<EngineInfo>& engines) {
  std::string names = "auto";
  for (const EngineInfo& engine : engines) names += ", " + engine.name;
  return names;
}

}  // namespace

std::vector<EngineInfo> list(const Options& options) {
  std::vector<EngineInfo> engines;
  append_cuda_engines(engines);
  append_cpu_engines(engines, options.features);
  return engines;
}

std::unique_ptr<Engine> make(std::string_view name, const Options& options) {
  const std::vector<EngineInfo> engines = list(options);
  const auto found = std::find_if(engines.begin(), engines.end(), [name](const EngineInfo& engine) {
    return name == "auto" ? engine.available : engine.name == name;
  });
  if (found == engines.end()) {
    throw Error(Errc::usage, "no engine " + std::string(name) + "; there are " + names_of(engines));
  }
  if (!found->available) throw Error(Errc::no_device, "engine " + found->name + ": " + found->reason);
  return make_available(found->name, options);
}

}  // namespace fugu::engine
