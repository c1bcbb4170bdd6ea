#include "fugu/engine/cpu/kernels.hpp"

namespace fugu::engine::cpu {
namespace {

std::string missing_for_avx512vbmi(const core::CpuFeatures& features) {
  std::string missing;
  const auto need = [&missing](bool present, const char* name) {
    if (!present) missing += std::string(missing.empty() ? "" : ", ") + name;
  };
  need(features.avx512f, "AVX-512 F");
  need(features.avx512bw, "AVX-512 BW");
  need(features.avx512vl, "AVX-512 VL");
  need(features.avx512vbmi, "AVX-512 VBMI");
  return missing;
}

// Rates: files of 256 MiB on hosts of an H100 and an H200 (bench_file_h200.csv at 25ce3044).
constexpr KernelRow kKernels[] = {
    {"cpu/avx512vbmi", "a CPU with AVX-512 F, BW, VL and VBMI", missing_for_avx512vbmi, avx512vbmi_kernel,
     7.7e-10},
    {"cpu/scalar", "any CPU", [](const core::CpuFeatures&) { return std::string(); },
     [](const core::CpuFeatures&) noexcept -> Kernel { return run_scalar; }, 1.9e-9},
};

}  // namespace

std::span<const KernelRow> kernels() noexcept {
  return kKernels;
}

Kernel best_kernel(const core::CpuFeatures& features) noexcept {
  Kernel best = nullptr;
  for (const KernelRow& row : kKernels)
    if (best == nullptr) best = row.kernel(features);
  return best;
}

}  // namespace fugu::engine::cpu
