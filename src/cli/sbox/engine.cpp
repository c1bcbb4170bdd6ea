// Measures boxes on the engine that --engine names.
#include "cli/sbox/operations.hpp"

namespace fugu::cli {

namespace lab = spectral::lab;

BoxEngine::BoxEngine(const Arguments& arguments)
    : arguments_(&arguments),
      threads_(thread_count(arguments)),
      device_(spectral_engine(arguments).device),
      named_(device_.has_value()),
      gpu_(std::make_shared<GpuOfRun>(spectral_engine(arguments), threads_)) {
  if (device_) gpu_->expect(*device_);
}

void BoxEngine::choose(double core_seconds) {
  device_ = gpu_->device_for(choice::WorkKind::boxes, core_seconds);
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
  // Some computations run on the CPU whatever engine is requested.
  options.says = [this](std::string_view what, bool on_gpu) {
    say_engine(what, on_gpu ? device_ : std::nullopt, threads_);
  };
  options.begin = [this](lab::Box& box, lab::Computation computation, std::uint64_t steps) {
    return begin(box, computation, steps);
  };
  return lab::Box(values, std::move(options));
}

spectral::Progress BoxEngine::begin(lab::Box& box, lab::Computation computation, std::uint64_t steps) const {
  if (computation == lab::Computation::exhaustive) say_exhaustive(box);
  const std::optional<lab::LongComputation> work = box.long_computation(computation);
  return work ? shown_work(*arguments_, work->what, steps, work->seconds, work->unit) : spectral::Progress();
}

void BoxEngine::say_exhaustive(const lab::Box& box) const {
  if (!named_) return say_engine("all components", std::nullopt, threads_);
  if (spectral::cuda::has_profile_kernels(box.inputs(), box.outputs())) return;
  throw Error(Errc::no_device, fmt::format("all components of {} inputs and {} outputs are measured on the "
                                           "CPU; use --engine cpu",
                                           box.inputs(), box.outputs()));
}

}  // namespace fugu::cli
