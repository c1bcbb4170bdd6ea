// Processes slices on one GPU: a ring of slots, each a stream with device memory, pinned staging memory and
// the key tables it last held. While one slot copies up, another computes and a third copies down.
//
// Pinned host memory is copied directly; any other is staged. Everything secret, on the device and in pinned
// memory, is zeroed before run() returns, also when it throws; nothing is in flight by then.
#pragma once

#include <atomic>
#include <memory>

#include "fugu/device/context.hpp"
#include "fugu/engine/cuda/plan.hpp"

namespace fugu::engine::cuda {

class Worker {
 public:
  // `slots`: the size of the ring.
  Worker(const device::Context& context, std::size_t slots);
  ~Worker();

  // Takes slices from `next` on until there are none or `stop` is set. Not thread-safe. Throws Error{engine}.
  void run(Op op, std::span<const Slice> slices, std::atomic<std::size_t>& next,
           const std::atomic<bool>& stop);

 private:
  class Slot;

  void drain() noexcept;

  device::Context context_;
  std::size_t most_slots_;
  std::vector<std::unique_ptr<Slot>> slots_;  // allocated on first use
};

}  // namespace fugu::engine::cuda
