#include "cli/sbox/engine/table_engine.hpp"

#include "cli/sbox/engine/automatic_gpu.hpp"
#include "cli/spectral/work.hpp"
#include "fugu/spectral/cuda/sbox.hpp"
#include "fugu/spectral/sbox/basic.hpp"

namespace fugu::cli {

using spectral::SBox;

TableEngine::TableEngine(const Arguments& arguments)
    : work_{thread_count(arguments)},
      device_(spectral_engine(arguments).device),
      automatic_(spectral_engine(arguments).automatic) {
  if (device_) gpu_->expect(*device_);
}

void TableEngine::choose(double cpu_seconds) {
  if (!automatic_ || cpu_seconds < kGpuSeconds || !device::built_with_cuda()) return;
  device_ = kAutomaticDevice;
  gpu_->expect(kAutomaticDevice);
}

const Gpu* TableEngine::gpu() const {
  if (!device_) return nullptr;
  try {
    return &gpu_->get(*device_);
  } catch (const Error& error) {
    if (!automatic_) throw;
    if (error.code() != Errc::no_device) leave_gpu_out(error);  // to have no GPU is ordinary
    device_.reset();
    return nullptr;
  }
}

// Reports the engine of a part of the work, since not all parts run on the requested one.
const Gpu* TableEngine::gpu_for(std::string_view what, bool suits) const {
  if (!device_) return nullptr;
  const Gpu* const started = gpu();
  say_engine(what, suits ? device_ : std::nullopt, work_.threads);  // after a start that may have failed
  return suits ? started : nullptr;
}

bool TableEngine::on_gpu(const SBox& box) const {
  return gpu() != nullptr && spectral::cuda::has_table_kernels(box.outputs());
}

bool TableEngine::boomerang_on_gpu(const SBox& box) const {
  return gpu() != nullptr && spectral::cuda::has_boomerang_kernels(box.inputs(), box.outputs()) &&
         spectral::basic(box).permutation;
}

bool TableEngine::transparency_on_gpu(const SBox& box) const {
  return gpu() != nullptr && spectral::cuda::has_transparency_kernels(box.outputs());
}

spectral::Linear TableEngine::linear(const SBox& box) const {
  const Gpu* const gpu = gpu_for("spectra of components", on_gpu(box));
  return gpu != nullptr ? spectral::cuda::linear({box, gpu->stream}) : spectral::linear(box, work_);
}

spectral::Differential TableEngine::differential(const SBox& box) const {
  const Gpu* const gpu = gpu_for("difference distribution table", on_gpu(box));
  return gpu != nullptr ? spectral::cuda::differential({box, gpu->stream})
                        : spectral::differential(box, work_);
}

spectral::Autocorrelation TableEngine::autocorrelation(const SBox& box) const {
  const Gpu* const gpu = gpu_for("autocorrelation", on_gpu(box));
  return gpu != nullptr ? spectral::cuda::autocorrelation({box, gpu->stream})
                        : spectral::autocorrelation(box, work_);
}

std::pair<spectral::Differential, spectral::Autocorrelation> TableEngine::difference_tables(
    const SBox& box) const {
  const Gpu* const gpu = gpu_for("difference distribution table and autocorrelation", true);
  if (gpu == nullptr) return {spectral::differential(box, work_), spectral::autocorrelation(box, work_)};
  spectral::cuda::DifferenceTables tables = spectral::cuda::difference_tables({box, gpu->stream});
  return {std::move(tables.differential), std::move(tables.autocorrelation)};
}

std::vector<std::int8_t> TableEngine::component_degrees(const SBox& box) const {
  const Gpu* const gpu = gpu_for("degrees of components", on_gpu(box));
  return gpu != nullptr ? spectral::cuda::component_degrees({box, gpu->stream})
                        : spectral::component_degrees(box, work_);
}

spectral::Boomerang TableEngine::boomerang(const SBox& box) const {
  const Gpu* const gpu = gpu_for("boomerang tables", boomerang_on_gpu(box));
  return gpu != nullptr ? spectral::cuda::boomerang({box, gpu->stream}).value()
                        : spectral::boomerang(box, work_);
}

double TableEngine::transparency_order(const SBox& box) const {
  const Gpu* const gpu = gpu_for("transparency order", transparency_on_gpu(box));
  return gpu != nullptr ? spectral::cuda::transparency_order({box, gpu->stream})
                        : spectral::transparency_order(box, work_);
}

}  // namespace fugu::cli
