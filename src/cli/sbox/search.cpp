#include "cli/sbox/search.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/process/console.hpp"
#include "fugu/spectral/equivalence/decision.hpp"

namespace fugu::cli {

double search_seconds(const Arguments& arguments) {
  return arguments.has("exhaustive") ? 0 : spectral::kSearchSeconds;
}

spectral::SearchOptions SearchWork::options() {
  return {.most_steps = most_steps_, .done = [this](std::uint64_t steps) { advance(steps); }};
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
  return std::max(seconds_, elapsed() * static_cast<double>(most_steps_) / static_cast<double>(steps_));
}

void SearchWork::show() {
  const std::string_view unit = std::string_view(what_).substr(0, what_.find(' '));
  if (most_steps_ == 0) {
    say_note(what_ + " go on without a limit; Ctrl-C ends them");
    work_ = std::make_unique<LongWork>(arguments_, what_, 0, 0, unit);
  } else {
    work_ = std::make_unique<LongWork>(arguments_, fmt::format("up to {} {}", most_steps_, what_),
                                       most_steps_, estimate(), unit);
  }
  work_->advance(steps_);
}

}  // namespace fugu::cli
