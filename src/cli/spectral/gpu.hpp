// The GPU of a fugu spectral operation.
#pragma once

#include <cstdint>
#include <future>
#include <optional>

#include "fugu/device/buffer.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/boolean.hpp"

namespace fugu::cli {

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
  // Starts it on a thread of its own, once.
  void expect(int device);

  // Rethrows the exception of a failed start.
  const Gpu& get(int device);

  // Whether its start has begun: only the rest of the wait remains.
  bool has_started() const { return gpu_.has_value() || starting_.valid(); }

  // The one that did work; none after leave_out().
  std::optional<int> used() const;

  // Continues without the GPU that auto chose, with a note unless this machine has none. Rethrows the current
  // exception if the GPU is not its cause.
  void leave_out(const Error& failure);
  bool is_left_out() const { return left_out_; }

 private:
  std::future<Gpu> starting_;
  std::optional<Gpu> gpu_;
  bool left_out_ = false;
};

}  // namespace fugu::cli
