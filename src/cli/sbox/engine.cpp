#include "cli/sbox/engine.hpp"

#include "cli/process/calibration.hpp"
#include "cli/sbox/boxes.hpp"
#include "cli/spectral/work.hpp"
#include "fugu/spectral/cuda/sbox.hpp"

namespace fugu::cli {

namespace lab = spectral::lab;

namespace {

constexpr double kLongSeconds = 10;

ProgressStyle announced(const Arguments& arguments, const std::string& what, double seconds) {
  if (seconds > kLongSeconds) say_note(fmt::format("{} take {}", what, estimate_text(seconds)));
  return progress_style(arguments);
}

}  // namespace

bool gpu_pays(const GpuOfRun& gpu, double core_seconds, unsigned threads) {
  return device::built_with_cuda() && !gpu.is_left_out() &&
         gpu_is_faster({.work = choice::Work::boxes,
                        .units = core_seconds,
                        .threads = threads,
                        .gpu_has_started = gpu.has_started()});
}

std::string estimate_text(double seconds) {
  if (seconds < 120) return fmt::format("about {:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("about {:.0f} min", seconds / 60);
  return fmt::format("about {:.0f} h", seconds / 3600);
}

LongWork::LongWork(const Arguments& arguments, const std::string& what, std::uint64_t total, double seconds,
                   std::string_view unit)
    : progress_(announced(arguments, what, seconds), total == 0 ? std::nullopt : std::optional(total), unit) {
}

BoxEngine::BoxEngine(const Arguments& arguments)
    : arguments_(&arguments),
      threads_(thread_count(arguments)),
      named_(spectral_engine(arguments).device.has_value()),
      automatic_(spectral_engine(arguments).automatic),
      device_(spectral_engine(arguments).device) {
  if (device_) gpu_->expect(*device_);
}

void BoxEngine::choose(double core_seconds) {
  if (!automatic_ || !gpu_pays(*gpu_, core_seconds, threads_)) return;
  device_ = kAutomaticDevice;
  gpu_->expect(kAutomaticDevice);
}

const Gpu* BoxEngine::gpu() const {
  if (!device_) return nullptr;
  try {
    return &gpu_->get(*device_);
  } catch (const Error& failure) {
    if (!automatic_) throw;
    gpu_->leave_out(failure);
    device_.reset();
    return nullptr;
  }
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

lab::Box BoxEngine::box(const spectral::SBox& values, unsigned threads) const {
  lab::BoxOptions options = box_options(threads);
  // Not all parts of the work run on the requested engine.
  options.says = [this](std::string_view what, bool on_gpu) {
    say_engine(what, on_gpu ? device_ : std::nullopt, threads_);
  };
  options.begin = [this](lab::Box& box, lab::Part part, std::uint64_t total) {
    return begin(box, part, total);
  };
  return lab::Box(values, std::move(options));
}

lab::Progress BoxEngine::begin(lab::Box& box, lab::Part part, std::uint64_t total) const {
  if (part == lab::Part::second_order || part == lab::Part::c_differential) {
    const bool second = part == lab::Part::second_order;
    const auto work = std::make_shared<LongWork>(
        *arguments_, second ? "second-order nonlinearities" : "c-differential uniformities", total,
        box.seconds(part) / threads_, second ? "components" : "multipliers");
    return [work](std::uint64_t done) { work->advance(done); };
  }
  const bool ranks = part == lab::Part::ranks;
  const bool on_gpu = !ranks && named_ && spectral::cuda::has_profile_kernels(box.inputs(), box.outputs());
  if (!ranks && named_ && !on_gpu) {
    throw Error(Errc::no_device, fmt::format("all components of {} inputs and {} outputs are measured on the "
                                             "cpu; use --engine cpu",
                                             box.inputs(), box.outputs()));
  }
  if (!ranks && !named_) say_engine("all components", std::nullopt, threads_);
  const double seconds = box.seconds(part) / (ranks || on_gpu ? 1 : threads_);
  const auto work = std::make_shared<LongWork>(*arguments_,
                                               ranks ? fmt::format("ranks for {} inputs", box.inputs())
                                                     : fmt::format("all 2^{}-1 components", box.outputs()),
                                               total, seconds, ranks ? "rows" : "masks");
  return [work](std::uint64_t done) { work->advance(done); };
}

}  // namespace fugu::cli
