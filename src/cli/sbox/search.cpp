#include "cli/sbox/search.hpp"

#include <fmt/format.h>

#include "cli/process/console.hpp"
#include "fugu/spectral/equivalence/decision.hpp"

namespace fugu::cli {

double search_seconds(const Arguments& arguments) {
  return arguments.has("exhaustive") ? 0 : spectral::kSearchSeconds;
}

spectral::SearchOptions SearchWork::options() {
  return {.most_steps = spectral::steps_within(seconds_, step_seconds_),
          .done = [this](std::uint64_t steps) { advance(steps); }};
}

void SearchWork::advance(std::uint64_t steps) {
  steps_ += steps;
  if (work_) {
    work_->advance(steps);
  } else if (static_cast<double>(steps_) * step_seconds_ >= LongWork::kShownSeconds) {
    begin();
  }
}

void SearchWork::begin() {
  if (seconds_ == 0) {
    say_note(what_ + " go on without a limit; Ctrl-C ends them");
    work_ = std::make_unique<LongWork>(arguments_, what_, 0, 0, unit());
  } else {
    const std::uint64_t most = spectral::steps_within(seconds_, step_seconds_);
    work_ = std::make_unique<LongWork>(arguments_, fmt::format("up to {} {}", most, what_), most, seconds_,
                                       unit());
  }
  work_->advance(steps_);
}

}  // namespace fugu::cli
