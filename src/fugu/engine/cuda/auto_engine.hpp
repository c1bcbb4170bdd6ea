// `auto`: the faster of the CPU and the GPU for each part of a call.
//
// The CPU begins. A GPU takes tenths of a second to start, so it is started, on a thread of its own beside
// the work, only when that can pay: when the call or the file at hand would keep the CPU busy for long
// enough, or when the CPU has been busy for long and most of the time. Small work, and work that waits for
// its files rather than for the CPU, never touches the GPU. When it is up, chunks handed out before are
// pinned where they are, and each part goes to whichever engine the calibration says is done first, for
// memory that is pinned and for any other. A GPU
// that does not start is left out with a note. A GPU that fails later is an error: bytes may have been
// overwritten, and nothing falls back. Chunks die before the engine that handed them out.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "fugu/engine/calibration.hpp"
#include "fugu/engine/cuda/pinning_engine.hpp"

namespace fugu::engine::cuda {

// The result of a GPU's start.
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
  // A start of 0.3 s (the shortest runs with and without a GPU in
  // tools/bench/results/shell_spectral_h200.csv) that turns out to be in vain costs a tenth of this.
  double patience_seconds = 3.5;
  // What the rest of a call, or of what was announced by expect(), must take at the CPU's pace.
  double worth_seconds = 1.0;
  // The clock, and the rates of engines; tests put their own in place, since a busy machine changes both. The
  // token asks for an early end.
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
  std::function<Pace(Engine&, Op, CallMemory, const std::stop_token&)> measure =
      [](Engine& engine, Op op, CallMemory memory, const std::stop_token&) {
        return measure_pace(engine, op, memory);
      };
};

// The key that a calibration of these two is filed under.
std::string calibration_machine(const Engine& cpu, unsigned cpu_threads, const std::string& gpu_machine);

std::unique_ptr<Engine> make_auto_engine(std::unique_ptr<Engine> cpu, AutoSettings settings);

}  // namespace fugu::engine::cuda
