// --engine auto, for work that a GPU can also do.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "cli/process/console.hpp"
#include "cli/spectral/gpu.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {

// The usual cost of starting a GPU and copying to it: the shortest runs with one take 0.34 to 0.45 s
// (tools/bench/results/sbox_program_h200.csv).
inline constexpr double kGpuSeconds = 0.4;

// Notes that auto goes on without the GPU that failed. Rethrows any other error, which is the current
// exception.
inline void leave_gpu_out(const Error& error) {
  if (error.code() != Errc::engine && error.code() != Errc::no_device) throw;
  say_note(fmt::format("the gpu is left out: {}", error.text()));
}

// The result of `work`, which takes a Gpu. Empty if there is no GPU, or it does not pay or does not work.
// `cpu_seconds`: the work's time without one. `gpu` may have been told to expect kAutomaticDevice.
template <class Work>
auto on_automatic_gpu(GpuOfRun& gpu, double cpu_seconds, const Work& work)
    -> std::optional<decltype(work(std::declval<const Gpu&>()))> {
  if (cpu_seconds < kGpuSeconds || device::inventory().devices.empty()) return std::nullopt;
  try {
    return work(gpu.get(kAutomaticDevice));
  } catch (const Error& error) {
    leave_gpu_out(error);
    return std::nullopt;
  }
}

}  // namespace fugu::cli
