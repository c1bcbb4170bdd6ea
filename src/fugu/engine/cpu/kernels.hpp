// The one table of CPU kernels: which exist, and which of them this CPU can run.
#pragma once

#include <span>
#include <string>

#include "fugu/core/cpu_features.hpp"
#include "fugu/engine/cpu/kernel.hpp"

namespace fugu::engine::cpu {

struct KernelRow {
  const char* name;  // the engine's
  const char* needs;
  std::string (*missing)(const core::CpuFeatures& features);     // empty: it can run
  Kernel (*kernel)(const core::CpuFeatures& features) noexcept;  // null: it cannot
};

// Best first.
std::span<const KernelRow> kernels() noexcept;

// The best that can run.
Kernel best_kernel(const core::CpuFeatures& features) noexcept;

}  // namespace fugu::engine::cpu
