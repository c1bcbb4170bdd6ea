// The engine that --engine names, and the display of long work.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "cli/process/console.hpp"
#include "cli/process/progress.hpp"
#include "cli/spectral/gpu.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/equivalence/equivalence.hpp"
#include "fugu/spectral/lab/box.hpp"

namespace fugu::cli {

// "about 2 min"
std::string estimate_text(double seconds);

// Work of more than this on one core is only done with --exhaustive.
inline constexpr double kAskedSeconds = 600;

// Throws Error{usage} with the estimate, unless the work may be done.
void require_asked(const Arguments& arguments, std::string_view what, double core_seconds);

class LongWork {
 public:
  static constexpr double kShownSeconds = spectral::lab::kLongSeconds;

  // `total` units of `unit`, 0 if unknown, which any thread may count off. An estimate above kShownSeconds is
  // printed first.
  LongWork(const Arguments& arguments, const std::string& what, std::uint64_t total, double seconds,
           std::string_view unit);

  void advance(std::uint64_t count) { progress_.counters().bytes_read += count; }

 private:
  Progress progress_;
};

// Counts off `steps` of long work; empty if it takes no longer than LongWork::kShownSeconds.
spectral::Progress shown_work(const Arguments& arguments, const std::string& what, std::uint64_t steps,
                              double seconds, std::string_view unit);

// The limit of a search; 0 for none, with --exhaustive.
double search_seconds(const Arguments& arguments);

// The display of a search, from its third second on: most end before.
class SearchWork {
 public:
  // `what`: the steps, "guesses at ...". A step takes at most `step_seconds`, all that are allowed `seconds`;
  // 0: there is no limit.
  SearchWork(const Arguments& arguments, std::string what, double step_seconds, double seconds)
      : arguments_(arguments), what_(std::move(what)), step_seconds_(step_seconds), seconds_(seconds) {}

  // For one search, during which this must exist.
  spectral::SearchOptions options();

  void advance(std::uint64_t steps);

 private:
  void begin();
  std::string_view unit() const { return std::string_view(what_).substr(0, what_.find(' ')); }

  const Arguments& arguments_;
  std::string what_;
  double step_seconds_;
  double seconds_;
  std::uint64_t steps_ = 0;
  std::unique_ptr<LongWork> work_;
};

// Where boxes are measured: auto is the CPU until choose() finds a GPU worth its start.
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
  spectral::Progress begin(spectral::lab::Box& box, spectral::lab::Part part, std::uint64_t steps) const;
  void say_exhaustive(const spectral::lab::Box& box) const;

  const Arguments* arguments_;
  unsigned threads_;
  mutable std::optional<int> device_;  // none: the CPU
  bool named_;
  std::shared_ptr<GpuOfRun> gpu_;
};

}  // namespace fugu::cli
