// The engines that exist, those that this machine can run, and how to make one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/core/cpu_features.hpp"
#include "fugu/engine/calibration.hpp"
#include "fugu/engine/engine.hpp"
#include "fugu/export.hpp"

namespace fugu::engine {

struct EngineInfo {
  std::string name;      // "cpu/scalar", "cpu/avx512vbmi", "cuda:0", "cuda:all"
  std::string needs;     // the hardware or driver it needs
  std::string hardware;  // what it would run on here: a GPU's name and memory; empty for CPU engines
  bool available = false;
  std::string reason;  // the reason when not available
};

struct FUGU_EXPORT Options {
  unsigned threads = 0;                                      // CPU threads; 0: all this process may run on
  core::CpuFeatures features = core::detect_cpu_features();  // tests narrow this
  std::string calibration_path = {};                // auto: where measurements are kept; empty: nowhere
  std::function<void(std::string_view)> note = {};  // auto: called once when a GPU had to be left out
};

// All engines, best first, including those this machine cannot run, with the reason.
FUGU_EXPORT std::vector<EngineInfo> list(const Options& options = {});

// Measures what auto decides by on this machine, and saves it to options.calibration_path if that is set.
// Takes some tenths of a second; the GPU's rates are empty if there is none.
FUGU_EXPORT Calibration calibrate(const Options& options = {});

// `name` is "auto", a name from list(), or "cpu" or "cuda" for the best of those that can run here. Throws
// Error{no_device} with the reason when the engine cannot run here, Error{usage} naming the choices when
// there is no such engine.
FUGU_EXPORT std::unique_ptr<Engine> make(std::string_view name, const Options& options = {});

}  // namespace fugu::engine
