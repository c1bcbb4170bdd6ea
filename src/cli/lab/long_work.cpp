#include "cli/lab/long_work.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/process/console.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/equivalence/equivalence.hpp"

namespace fugu::cli {
namespace {

ProgressStyle announced(const Arguments& arguments, const std::string& what, double seconds) {
  if (seconds > LongWork::kShownSeconds) say_note(fmt::format("{} take {}", what, estimate_text(seconds)));
  return progress_style(arguments);
}

}  // namespace

std::string estimate_text(double seconds) {
  if (seconds < 120) return fmt::format("about {:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("about {:.0f} min", seconds / 60);
  return fmt::format("about {:.0f} h", seconds / 3600);
}

void require_asked(const Arguments& arguments, std::string_view what, double core_seconds) {
  if (core_seconds <= kAskedSeconds || arguments.has("exhaustive")) return;
  throw Error(Errc::usage, fmt::format("{} take {} on one core; --exhaustive computes them", what,
                                       estimate_text(core_seconds)));
}

LongWork::LongWork(const Arguments& arguments, const std::string& what, std::uint64_t total, double seconds,
                   std::string_view unit)
    : progress_(announced(arguments, what, seconds), total == 0 ? std::nullopt : std::optional(total), unit) {
}

spectral::Progress shown_work(const Arguments& arguments, const std::string& what, std::uint64_t steps,
                              double seconds, std::string_view unit) {
  if (seconds <= LongWork::kShownSeconds) return {};
  const auto work = std::make_shared<LongWork>(arguments, what, steps, seconds, unit);
  return [work](std::uint64_t done) { work->advance(done); };
}

double search_seconds(const Arguments& arguments) {
  return arguments.has("exhaustive") ? 0 : spectral::kSearchSeconds;
}

spectral::SearchOptions SearchWork::options() {
  return {.deadline = spectral::deadline_after(seconds_),
          .done = [this](std::uint64_t steps) { advance(steps); }};
}

void SearchWork::advance(std::uint64_t steps) {
  steps_ += steps;
  if (work_) {
    work_->advance(steps);
  } else if (elapsed() > LongWork::kShownSeconds) {
    show();
  }
}

// The steps may take longer than is usual.
double SearchWork::estimate() const {
  if (steps_ == 0) return seconds_;
  return std::max(seconds_, elapsed() * static_cast<double>(total_) / static_cast<double>(steps_));
}

void SearchWork::show() {
  const std::string_view unit = std::string_view(what_).substr(0, what_.find(' '));
  if (total_ == 0) {
    say_note(what_ + (seconds_ == 0 ? " go on without a limit; Ctrl-C ends them"
                                    : fmt::format(" take up to {:.0f} s", seconds_)));
    work_ = std::make_unique<LongWork>(arguments_, what_, 0, 0, unit);
  } else {
    work_ = std::make_unique<LongWork>(arguments_, fmt::format("up to {} {}", total_, what_), total_,
                                       estimate(), unit);
  }
  work_->advance(steps_);
}

}  // namespace fugu::cli
