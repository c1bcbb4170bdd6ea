// The GPU that an operation of fugu spectral works on.
#pragma once

#include <cstdint>

#include "fugu/device/buffer.hpp"
#include "fugu/spectral/boolean.hpp"

namespace fugu::cli {

struct Gpu {
  explicit Gpu(int index) : context(index), stream(context) {}

  // What is asked for must fit before anything is copied. Throws Error{engine}.
  void require(std::uint64_t bytes) const;

  device::Context context;
  device::Stream stream;
};

// With room for the work on a truth table. It goes there as bits; beside them there are 16-bit and 32-bit
// values.
Gpu gpu_for(const spectral::TruthTable& table, int device);

}  // namespace fugu::cli
