// `auto`: the faster of the CPU and the GPU for each call.
//
// Chunks it hands out die before it. The CPU begins. Once a run of work is long enough that a GPU may pay for
// its start, the start happens on a thread of its own beside that work; small work never touches the GPU.
// When it is up, chunks handed out before are pinned where they are, and each call goes to whichever engine
// the calibration says is done first. A GPU that does not start is left out with a note. A GPU that fails
// later is an error: bytes may have been overwritten, and nothing falls back.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "fugu/engine/calibration.hpp"
#include "fugu/engine/cuda/pinning_engine.hpp"

namespace fugu::engine::cuda {

// What a GPU's start gives.
struct Started {
  std::unique_ptr<PinningEngine> engine;
  std::string machine;  // names the hardware for the calibration
};

struct AutoSettings {
  // Called at most once, on another thread. Gives no engine where there is plainly no GPU; throws when one is
  // there and cannot be used.
  std::function<Started()> start;
  std::string calibration_path;                // empty: measured anew each time, kept nowhere
  std::function<void(std::string_view)> note;  // called on a thread that is in run(); may be empty
  unsigned cpu_threads = 0;                    // of the CPU engine; 0: all
  std::uint64_t start_after_bytes = std::uint64_t{64} << 20;
};

// What a calibration of these two is filed under.
std::string calibration_machine(const Engine& cpu, unsigned cpu_threads, const std::string& gpu_machine);

std::unique_ptr<Engine> make_auto_engine(std::unique_ptr<Engine> cpu, AutoSettings settings);

}  // namespace fugu::engine::cuda
