// The engines that exist, those that this machine can run, and how to make one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fugu/choice.hpp"
#include "fugu/engine/engine.hpp"

namespace fugu::engine {

struct EngineInfo {
  std::string name;      // "cpu/scalar", "cpu/avx512vbmi", "cuda:0", "cuda:all"
  std::string needs;     // the hardware or driver it needs
  std::string hardware;  // what it would run on here: a GPU's name and memory; empty for CPU engines
  bool available = false;
  std::string reason;       // the reason when not available
  double byte_seconds = 0;  // built in: on one CPU core, or on the GPU
};

struct FUGU_EXPORT Options {
  unsigned threads = 0;  // CPU threads; 0: all this process may run on

  // auto: the files that will be processed, and their size in total. 0: not known, which is left to the CPU.
  std::uint64_t expected_bytes = 0;
  std::size_t expected_files = 1;
  choice::Calibration calibration = choice::built_in();
  std::function<void(std::string_view)> note = {};  // called when the GPU that auto chose does not start
};

// All engines, best first, including those this machine cannot run, with the reason.
FUGU_EXPORT std::vector<EngineInfo> list();

// `name` is a name from list(), "cpu" or "cuda" for the best of those that can run here, or "auto" for the
// best of the CPU or the first GPU, whichever is predicted to be faster; a GPU that then does not start
// leaves the work to the CPU. Throws Error{no_device} with the reason when the engine cannot run here,
// Error{usage} naming the choices when there is no such engine.
FUGU_EXPORT std::unique_ptr<Engine> make(std::string_view name, const Options& options = {});

// The work that auto weighs between a GPU and this CPU engine.
FUGU_EXPORT choice::Amount amount_of(const EngineInfo& cpu, const Options& options);

}  // namespace fugu::engine
