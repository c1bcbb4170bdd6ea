#include "cli/sbox/engine.hpp"

#include "cli/sbox/boxes.hpp"
#include "cli/spectral/work.hpp"
#include "fugu/spectral/cuda/sbox.hpp"
#include "fugu/spectral/equivalence/decision.hpp"

namespace fugu::cli {

namespace lab = spectral::lab;

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

BoxEngine::BoxEngine(const Arguments& arguments)
    : arguments_(&arguments),
      threads_(thread_count(arguments)),
      device_(spectral_engine(arguments).device),
      named_(device_.has_value()),
      gpu_(std::make_shared<GpuOfRun>(spectral_engine(arguments), threads_)) {
  if (device_) gpu_->expect(*device_);
}

void BoxEngine::choose(double core_seconds) {
  device_ = gpu_->device_for(choice::Work::boxes, core_seconds);
  if (device_) gpu_->expect(*device_);
}

const Gpu* BoxEngine::gpu() const {
  if (!device_) return nullptr;
  const Gpu* const started = gpu_->get(*device_);
  if (started == nullptr) device_.reset();
  return started;
}

lab::BoxOptions BoxEngine::box_options(unsigned threads) const {
  lab::BoxOptions options{.work = {threads},
                          .polynomial = field_option(*arguments_).value_or(0),
                          .exhaustive = arguments_->has("exhaustive")};
  if (device_) {
    options.gpu = [this] {
      const Gpu* const started = gpu();
      return started != nullptr ? std::optional(started->stream) : std::nullopt;
    };
  }
  return options;
}

lab::Box BoxEngine::silent_box(const spectral::SBox& values) const {
  return lab::Box(values, box_options(1));
}

lab::Box BoxEngine::box(const spectral::SBox& values) const {
  lab::BoxOptions options = box_options(threads_);
  // Not all parts of the work run on the requested engine.
  options.says = [this](std::string_view what, bool on_gpu) {
    say_engine(what, on_gpu ? device_ : std::nullopt, threads_);
  };
  options.begin = [this](lab::Box& box, lab::Part part, std::uint64_t steps) {
    return begin(box, part, steps);
  };
  return lab::Box(values, std::move(options));
}

spectral::Progress BoxEngine::begin(lab::Box& box, lab::Part part, std::uint64_t steps) const {
  if (part == lab::Part::exhaustive) say_exhaustive(box);
  const std::optional<lab::LongPart> work = box.long_part(part);
  return work ? shown_work(*arguments_, work->what, steps, work->seconds, work->unit) : spectral::Progress();
}

void BoxEngine::say_exhaustive(const lab::Box& box) const {
  if (!named_) return say_engine("all components", std::nullopt, threads_);
  if (spectral::cuda::has_profile_kernels(box.inputs(), box.outputs())) return;
  throw Error(Errc::no_device, fmt::format("all components of {} inputs and {} outputs are measured on the "
                                           "cpu; use --engine cpu",
                                           box.inputs(), box.outputs()));
}

}  // namespace fugu::cli
