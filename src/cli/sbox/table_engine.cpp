#include "cli/sbox/table_engine.hpp"

#include <fmt/format.h>

#include "cli/process/console.hpp"
#include "cli/spectral/work.hpp"
#include "fugu/spectral/cuda/sbox.hpp"

namespace fugu::cli {
namespace {

using spectral::SBox;

// Names the engine of a part of the work, since not all are done on the one that was asked for.
const Gpu* gpu_of(const Gpu* gpu, bool suits, std::string_view what) {
  if (gpu == nullptr) return nullptr;
  say_detail(fmt::format("{}: {}", what, suits ? "gpu" : "cpu"));
  return suits ? gpu : nullptr;
}

}  // namespace

TableEngine::TableEngine(const Arguments& arguments) : work_{thread_count(arguments)} {
  if (const auto device = spectral_engine(arguments).device) gpu_ = std::make_shared<const Gpu>(*device);
}

bool TableEngine::on_gpu(const SBox& box) const {
  return gpu_ && spectral::cuda::has_table_kernels(box.outputs());
}

spectral::Linear TableEngine::linear(const SBox& box) const {
  const Gpu* const gpu = gpu_of(gpu_.get(), on_gpu(box), "spectra of components");
  return gpu != nullptr ? spectral::cuda::linear({box, gpu->stream}) : spectral::linear(box, work_);
}

spectral::Differential TableEngine::differential(const SBox& box) const {
  const Gpu* const gpu = gpu_of(gpu_.get(), on_gpu(box), "difference distribution table");
  return gpu != nullptr ? spectral::cuda::differential({box, gpu->stream})
                        : spectral::differential(box, work_);
}

spectral::Autocorrelation TableEngine::autocorrelation(const SBox& box) const {
  const Gpu* const gpu = gpu_of(gpu_.get(), on_gpu(box), "autocorrelation");
  return gpu != nullptr ? spectral::cuda::autocorrelation({box, gpu->stream})
                        : spectral::autocorrelation(box, work_);
}

std::vector<std::int8_t> TableEngine::component_degrees(const SBox& box) const {
  const Gpu* const gpu = gpu_of(gpu_.get(), on_gpu(box), "degrees of components");
  return gpu != nullptr ? spectral::cuda::component_degrees({box, gpu->stream})
                        : spectral::component_degrees(box, work_);
}

}  // namespace fugu::cli
