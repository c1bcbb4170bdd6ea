// --engine auto, where a GPU can do the same work.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "cli/process/console.hpp"
#include "cli/spectral/gpu.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {

// What starting a GPU takes on the whole (tools/bench/results/sbox_program_h200.csv).
inline constexpr double kGpuSeconds = 1;

// The GPU that --engine auto takes.
inline constexpr int kAutomaticDevice = 0;

// What `work`, which takes a Gpu, returns. None where there is no GPU, or it is not worth while or does not
// work. `cpu_seconds`: what the work takes without one. `gpu` may have been told to expect kAutomaticDevice.
template <class Work>
auto on_automatic_gpu(GpuOfRun& gpu, double cpu_seconds, const Work& work)
    -> std::optional<decltype(work(std::declval<const Gpu&>()))> {
  if (cpu_seconds < kGpuSeconds || device::inventory().devices.empty()) return std::nullopt;
  try {
    return work(gpu.get(kAutomaticDevice));
  } catch (const Error& error) {
    if (error.code() != Errc::engine && error.code() != Errc::no_device) throw;
    say_note(fmt::format("the gpu is left out: {}", error.text()));
    return std::nullopt;
  }
}

}  // namespace fugu::cli
