// `auto`: the faster of the CPU and the GPU for each part of a call.
//
// The CPU begins. A GPU takes tenths of a second to start, so it is started only when that can pay, on a
// thread of its own beside the work: when the call or the file would keep the CPU busy for long enough, or
// when the CPU has been busy for long and most of the time. Small work, and work that waits for its files
// rather than for the CPU, never touches the GPU. Once it has started, chunks handed out before are pinned in
// place, and each part goes to the engine that the calibration predicts to finish first, for pinned or other
// memory. A GPU that does not start is left out with a note. A GPU that fails later is an error: bytes may
// have been overwritten, so there is no fallback. Chunks die before the engine that handed them out.
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
  // Called at most once, on another thread. Returns no engine if there is clearly no GPU; throws when there
  // is one that cannot be used.
  std::function<Started()> start;
  std::string calibration_path;                // empty: measured anew each time, kept nowhere
  std::function<void(std::string_view)> note;  // called on a thread that is in run(); may be empty
  unsigned cpu_threads = 0;                    // of the CPU engine; 0: all
  // A start takes 0.3 s (the shortest runs with and without a GPU in
  // tools/bench/results/shell_spectral_h200.csv): in vain, it costs a tenth of this.
  double patience_seconds = 3.5;
  // The least time that the rest of a call, or of the work announced by expect(), must take at the CPU's
  // pace.
  double worth_seconds = 1.0;
  // The time that a pace is taken over: the first call alone starts threads, touches memory for the first
  // time, and has not yet waited for input or output.
  double pace_seconds = 0.05;
  // The clock, and the rates of engines; tests replace them, since a busy machine changes both. The token
  // requests an early end.
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
  std::function<Pace(Engine&, Op, CallMemory, const std::stop_token&)> measure =
      [](Engine& engine, Op op, CallMemory memory, const std::stop_token&) {
        return measure_pace(engine, op, memory);
      };
};

// The key under which a calibration of these two is filed.
std::string calibration_machine(const Engine& cpu, unsigned cpu_threads, const std::string& gpu_machine);

std::unique_ptr<Engine> make_auto_engine(std::unique_ptr<Engine> cpu, AutoSettings settings);

}  // namespace fugu::engine::cuda
