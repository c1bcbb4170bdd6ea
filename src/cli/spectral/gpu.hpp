// The GPU for an operation of fugu spectral.
#pragma once

#include <cstdint>
#include <future>
#include <optional>

#include "fugu/device/buffer.hpp"
#include "fugu/spectral/boolean.hpp"

namespace fugu::cli {

struct Gpu {
  explicit Gpu(int index) : context(index), stream(context) {}

  // The work must fit before anything is copied. Throws Error{engine}.
  void require(std::uint64_t bytes) const;

  // The same for work on a truth table, which is copied as bits and expands to 16-bit and 32-bit values.
  void require_for(const spectral::TruthTable& table) const { require(7 * table.size()); }

  device::Context context;
  device::Stream stream;
};

// The one GPU of a run, started once: if announced, ahead of its work and beside the reading of the input.
class GpuOfRun {
 public:
  // Starts it on a thread of its own, once.
  void expect(int device);

  // Throws what its start threw.
  const Gpu& get(int device);

  // Whether get() has returned one.
  bool is_there() const { return gpu_.has_value(); }

 private:
  std::future<Gpu> starting_;
  std::optional<Gpu> gpu_;
};

}  // namespace fugu::cli
