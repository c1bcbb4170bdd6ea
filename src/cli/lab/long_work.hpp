// The display of long work: an estimate before it, and progress.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "cli/options.hpp"
#include "cli/process/progress.hpp"
#include "fugu/spectral/equivalence/equivalence.hpp"
#include "fugu/spectral/lab/property.hpp"

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
  // `what`: the steps, "guesses at ...": `total`, which take about `seconds`; 0: nobody knows how many, and
  // the search ends after `seconds`, or without a limit for 0.
  SearchWork(const Arguments& arguments, std::string what, std::uint64_t total, double seconds)
      : arguments_(arguments), what_(std::move(what)), total_(total), seconds_(seconds) {}

  // For one search that begins now, during which this must exist.
  spectral::SearchOptions options();

  void advance(std::uint64_t steps);

 private:
  using Clock = std::chrono::steady_clock;

  double elapsed() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  double estimate() const;
  void show();

  const Arguments& arguments_;
  std::string what_;
  std::uint64_t total_;
  double seconds_;
  Clock::time_point begin_ = Clock::now();
  std::uint64_t steps_ = 0;
  std::unique_ptr<LongWork> work_;
};

}  // namespace fugu::cli
