// The engine of fugu spectral and fugu sbox: the CPU or one GPU.
#pragma once

#include <cstdint>
#include <future>
#include <optional>
#include <utility>

#include "cli/options.hpp"
#include "fugu/choice.hpp"
#include "fugu/device/buffer.hpp"
#include "fugu/device/gpu_or_cpu.hpp"
#include "fugu/spectral/boolean.hpp"

namespace fugu::cli {

// The engine. `device` is set for a GPU; `algorithm` for one of the paper's, 0 to 6.
struct SpectralEngine {
  std::optional<int> device;
  std::optional<int> algorithm;
  bool automatic = false;  // no engine was requested: an operation may use a GPU if that is faster
};

// Throws Error{usage} for an unknown engine or one that does not fit the algorithm.
SpectralEngine spectral_engine(const Arguments& arguments);

// Work on a truth table, which is copied as bits and expands to 16-bit and 32-bit values.
inline std::uint64_t bytes_on_gpu(const spectral::TruthTable& table) {
  return 7 * table.size();
}

struct Gpu {
  explicit Gpu(int index) : context(index), stream(context) {}

  // The work must fit before anything is copied. Throws Error{engine}.
  void require(std::uint64_t bytes) const;

  device::Context context;
  device::Stream stream;
};

// The GPU that --engine auto may choose.
inline constexpr int kAutomaticDevice = 0;

// The one GPU of a run, started once: if announced, ahead of its work and beside the reading of the input.
class GpuOfRun {
 public:
  // `threads`: those of the CPU, for auto to compare with.
  GpuOfRun(const SpectralEngine& engine, unsigned threads)
      : named_(engine.device),
        automatic_(engine.automatic),
        threads_(threads),
        or_cpu_(automatic_, say_why) {}

  // The GPU for this work: the one that --engine names; for auto, the first one if it is predicted to be
  // faster.
  std::optional<int> device_for(choice::WorkKind work, double units) const;

  // Starts it on a thread of its own, once; or the one for this work, if there is one.
  void expect(int device);
  void expect(choice::WorkKind work, double units);

  // Null where the GPU that auto chose does not start. Rethrows any other exception of a failed start.
  const Gpu* get(int device);

  // Returns run(gpu) if device_for() chooses one. Empty: the CPU's turn, also where the GPU that auto chose
  // has failed.
  template <class Run>
  auto run(choice::WorkKind work, double units, const Run& run)
      -> std::optional<decltype(run(std::declval<const Gpu&>()))> {
    const std::optional<int> device = device_for(work, units);
    if (!device) return std::nullopt;
    return or_cpu_.attempt([&] { return run(started(*device)); });
  }

  // The one that did work; none after a failure.
  std::optional<int> used() const;

 private:
  const Gpu& started(int device);

  // Why the GPU is left out, unless this machine has none.
  static void say_why(const Error& failure);

  std::optional<int> named_;
  bool automatic_;
  unsigned threads_;
  std::future<Gpu> starting_;
  std::optional<Gpu> gpu_;
  device::GpuOrCpu or_cpu_;
};

}  // namespace fugu::cli
