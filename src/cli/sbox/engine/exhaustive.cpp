#include "cli/sbox/engine/exhaustive.hpp"

#include <fmt/format.h>

#include "cli/spectral/work.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/cuda/sbox.hpp"

namespace fugu::cli {
namespace {

// Counted from the kernel's instructions.
constexpr double kGpuSecondsPerMask = 4e-11;

bool suits_gpu(const spectral::SBox& box) {
  return spectral::cuda::has_profile_kernels(box.inputs(), box.outputs());
}

std::optional<int> device_for(const spectral::SBox& box, const Arguments& arguments) {
  const SpectralEngine engine = spectral_engine(arguments);
  if (engine.device && !suits_gpu(box)) {
    throw Error(Errc::no_device, fmt::format("all components of {} inputs and {} outputs are measured on the "
                                             "cpu; use --engine cpu",
                                             box.inputs(), box.outputs()));
  }
  return engine.device;
}

}  // namespace

ExhaustiveEngine::ExhaustiveEngine(const spectral::SBox& box, const Arguments& arguments)
    : threads_(thread_count(arguments)) {
  const std::optional<int> device = device_for(box, arguments);
  if (device) gpu_.emplace(*device);
  say_engine("all components", device, threads_);
}

double ExhaustiveEngine::seconds(const spectral::SBox& box) const {
  return gpu_ ? kGpuSecondsPerMask * (box.last_mask() + 1.0) : exhaustive_seconds(box) / threads_;
}

spectral::ExhaustiveProfile ExhaustiveEngine::profile(const spectral::SBox& box, unsigned threads,
                                                      const std::function<void(std::uint64_t)>& done) {
  if (!gpu_) return exhaustive_components(box, {threads}, done);
  const std::lock_guard lock(gpu_in_use_);
  return spectral::cuda::exhaustive_components({box, gpu_->stream});
}

}  // namespace fugu::cli
