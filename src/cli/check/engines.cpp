// fugu engines
#include <fmt/format.h>

#include <algorithm>

#include "cli/check/checks.hpp"
#include "cli/commands.hpp"
#include "cli/process/calibration.hpp"
#include "cli/process/console.hpp"
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

// With the built-in rates of the engines that were not measured.
choice::Calibration complete(choice::Calibration figures, const Engines& engines) {
  for (const engine::EngineInfo& info : engines) {
    const bool is_rated =
        std::ranges::find(figures.engines, info.name, &choice::EngineRate::name) != figures.engines.end();
    if (!is_rated && (info.name.starts_with("cpu/") || info.name == "cuda:0"))
      figures.engines.push_back({info.name, info.byte_seconds});
  }
  return figures;
}

}  // namespace

int run_engines(const Arguments& arguments) {
  const bool anew = arguments.has("calibrate");
  const choice::Calibration measured = anew ? measure_calibration() : calibration();
  const Engines engines =
      engine::list();  // opens the driver, which the measurement of a start must not find open
  const choice::Calibration figures = complete(measured, engines);
  if (anew) save_calibration(figures);
  if (arguments.has("json")) {
    write_result(json(engines));
    return kSuccess;
  }
  write_text(table(engines));
  if (anew || loudness_of(arguments) == Loudness::verbose) write_text(calibration_text(figures));
  return kSuccess;
}

}  // namespace fugu::cli
