// Where boxes are measured: the engine that --engine names.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/lab/work.hpp"
#include "cli/process/console.hpp"
#include "fugu/spectral/lab/box.hpp"

namespace fugu::cli {

// auto is the CPU until choose() finds a GPU worth its start.
class BoxEngine {
 public:
  // Starts the GPU that --engine names, while a box is read.
  explicit BoxEngine(const Arguments& arguments);

  // For auto, before work of this many seconds on one CPU core. Starts the GPU that it chooses.
  void choose(double core_seconds);

  const Gpu* gpu() const;  // null: the CPU, also when the GPU that auto chose does not start
  GpuOfRun& gpu_of_run() const { return *gpu_; }
  unsigned threads() const { return threads_; }

  // The box to be measured. It says which engine computes what, if that may be a GPU, and shows long work.
  spectral::lab::Box box(const spectral::SBox& values) const;

  // The same on one thread, in silence.
  spectral::lab::Box silent_box(const spectral::SBox& values) const;

 private:
  spectral::lab::BoxOptions box_options(unsigned threads) const;
  spectral::Progress begin(spectral::lab::Box& box, spectral::lab::Computation computation,
                           std::uint64_t steps) const;
  void say_exhaustive(const spectral::lab::Box& box) const;

  const Arguments* arguments_;
  unsigned threads_;
  mutable std::optional<int> device_;  // none: the CPU
  bool named_;
  std::shared_ptr<GpuOfRun> gpu_;
};

}  // namespace fugu::cli
