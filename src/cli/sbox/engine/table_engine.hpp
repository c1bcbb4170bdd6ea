// The tables of a box, on the engine that --engine names: auto is the CPU until choose() finds a GPU worth
// its start. A GPU takes the shapes that it has kernels for; the CPU takes the others.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options.hpp"
#include "cli/spectral/gpu.hpp"
#include "fugu/spectral/sbox/algebra.hpp"
#include "fugu/spectral/sbox/autocorrelation.hpp"
#include "fugu/spectral/sbox/boomerang.hpp"
#include "fugu/spectral/sbox/differential.hpp"
#include "fugu/spectral/sbox/linear.hpp"

namespace fugu::cli {

class TableEngine {
 public:
  // Starts the GPU that --engine names, while a box is read.
  explicit TableEngine(const Arguments& arguments);

  // For auto, before work that takes `cpu_seconds` on the CPU. Starts the GPU that it chooses.
  void choose(double cpu_seconds);

  const Gpu* gpu() const;  // null: the CPU, also when the GPU that auto chose does not start
  void use_threads(unsigned threads) { work_.threads = threads; }

  // Whether the functions below use a GPU, except boomerang() and transparency_order(). Waits for its start.
  bool on_gpu(const spectral::SBox& box) const;
  bool boomerang_on_gpu(const spectral::SBox& box) const;
  bool transparency_on_gpu(const spectral::SBox& box) const;

  spectral::Linear linear(const spectral::SBox& box) const;
  spectral::Differential differential(const spectral::SBox& box) const;
  spectral::Autocorrelation autocorrelation(const spectral::SBox& box) const;
  // Both at once; only if on_gpu(box).
  std::pair<spectral::Differential, spectral::Autocorrelation> difference_tables(
      const spectral::SBox& box) const;
  std::vector<std::int8_t> component_degrees(const spectral::SBox& box) const;
  spectral::Boomerang boomerang(const spectral::SBox& box) const;
  double transparency_order(const spectral::SBox& box) const;

 private:
  const Gpu* gpu_for(std::string_view what, bool suits) const;

  spectral::SBoxOptions work_;
  mutable std::optional<int> device_;  // none: the CPU
  bool automatic_;
  std::shared_ptr<GpuOfRun> gpu_ = std::make_shared<GpuOfRun>();
};

}  // namespace fugu::cli
