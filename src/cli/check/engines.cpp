// fugu engines
#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.hpp"
#include "cli/files/work_options.hpp"
#include "cli/process/console.hpp"
#include "cli/process/exit_status.hpp"
#include "cli/process/json.hpp"
#include "fugu/engine/registry.hpp"

namespace fugu::cli {
namespace {

using Engines = std::vector<engine::EngineInfo>;

std::string table(const Engines& engines) {
  std::size_t name_width = 0;
  for (const engine::EngineInfo& info : engines) name_width = std::max(name_width, info.name.size());
  std::string text;
  for (const engine::EngineInfo& info : engines) {
    const std::string state = info.available ? "available" : fmt::format("not available: {}", info.reason);
    const std::string hardware = info.hardware.empty() ? "" : fmt::format(" ({})", info.hardware);
    text += fmt::format("{:{}}  {}{}; needs {}\n", info.name, name_width, state, hardware, info.needs);
  }
  const auto is_cuda = [](const engine::EngineInfo& info) { return info.name.starts_with("cuda"); };
  if (std::ranges::none_of(engines, is_cuda))
    text += "cuda: absent from this build, or no device was found\n";
  return text;
}

std::string json(const Engines& engines) {
  auto rows = nlohmann::ordered_json::array();
  for (const engine::EngineInfo& info : engines) {
    rows.push_back({{"name", info.name},
                    {"available", info.available},
                    {"needs", info.needs},
                    {"hardware", info.hardware},
                    {"reason", info.reason}});
  }
  return json_text({{"version", kJsonVersion}, {"engines", rows}});
}

std::string row(const char* name, const engine::Pace& pace) {
  if (pace.bytes_per_second <= 0) return fmt::format("  {} not measured", name);
  return fmt::format("  {} {:.3f} GB/s after {:.0f} us a call", name, pace.bytes_per_second * 1e-9,
                     pace.seconds_per_call * 1e6);
}

// Measures what --engine auto decides by, and keeps it for later runs.
std::string calibration_table() {
  constexpr const char* kNames[] = {"ecb encrypt", "ecb decrypt", "ctr", "cbc decrypt", "cfb decrypt"};
  const engine::Calibration measured = engine::calibrate({.calibration_path = calibration_path("engines")});
  std::string text = fmt::format("auto, calibrated for {}:\n", measured.machine);
  for (std::size_t op = 0; op < engine::kOpCount; ++op)
    text += fmt::format("  {:11}{}{}{}\n", kNames[op], row("cpu", measured.cpu[op]),
                        row("gpu, pinned memory", measured.gpu[op]),
                        row("gpu, ordinary memory", measured.gpu_ordinary[op]));
  return text;
}

}  // namespace

int run_engines(const Arguments& arguments) {
  const Engines engines = engine::list();
  if (arguments.has("json")) {
    write_result(json(engines));
    return kSuccess;
  }
  write_text(table(engines));
  if (loudness_of(arguments) == Loudness::verbose) write_text(calibration_table());
  return kSuccess;
}

}  // namespace fugu::cli
