#include "cli/spectral/gpu.hpp"

#include <fmt/format.h>

#include "cli/process/progress.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {

void Gpu::require(std::uint64_t bytes) const {
  if (bytes <= context.info().memory_bytes) return;
  throw Error(Errc::engine, fmt::format("this takes {} on the gpu, which has {}; use --engine cpu",
                                        bytes_text(static_cast<double>(bytes)),
                                        bytes_text(static_cast<double>(context.info().memory_bytes))));
}

Gpu gpu_for(const spectral::TruthTable& table, int device) {
  Gpu gpu(device);
  gpu.require(7 * table.size());
  return gpu;
}

}  // namespace fugu::cli
