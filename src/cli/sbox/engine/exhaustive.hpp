// All components of a box, on the engine that --engine names: auto is the CPU.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "cli/options.hpp"
#include "cli/spectral/gpu.hpp"
#include "fugu/spectral/sbox/exhaustive.hpp"

namespace fugu::cli {

class ExhaustiveEngine {
 public:
  // For boxes of the shape of `box`. Throws Error{no_device} for a named GPU that cannot do it.
  ExhaustiveEngine(const spectral::SBox& box, const Arguments& arguments);

  // The approximate time per box.
  double seconds(const spectral::SBox& box) const;

  // Thread-safe; boxes on a GPU wait for each other. `done` as in spectral::exhaustive_components().
  spectral::ExhaustiveProfile profile(const spectral::SBox& box, unsigned threads,
                                      const std::function<void(std::uint64_t masks)>& done = {});

 private:
  unsigned threads_;
  std::optional<Gpu> gpu_;
  std::mutex gpu_in_use_;
};

}  // namespace fugu::cli
