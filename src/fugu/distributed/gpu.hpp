// The transform of spectral.hpp on GPUs, one per rank: stages on each, exchange between them by NCCL.
//
// Blocks of kGpuBlockBits index bits are transformed whole, which takes two passes over memory; the rank's
// bits are exchanged for the upper ones of a block, block after block, while others are processed; the stages
// above come last, or first in the inverse direction. Everything exists in every build: without NCCL the
// constructor of GpuRanks throws.
#pragma once

#include <memory>

#include "fugu/device/buffer.hpp"
#include "fugu/distributed/spectral.hpp"

namespace fugu::distributed {

// NCCL over the ranks of a communicator, each with its context's GPU.
class GpuRanks {
 public:
  // Collective. Throws Error{no_device} in a build without NCCL, Error{engine} when NCCL does not start.
  GpuRanks(const Communicator& ranks, const device::Context& context);
  ~GpuRanks();
  GpuRanks(const GpuRanks&) = delete;
  GpuRanks& operator=(const GpuRanks&) = delete;

  // Queues on `stream`: in each block of the group, part j goes to rank j and is replaced by the part from
  // there, through `room`, which is as large as the group. This rank's own part stays. There are `blocks`
  // blocks of `parts` parts of `bytes` each; this rank is one of `parts`.
  struct Group {
    std::byte* data = nullptr;
    std::size_t blocks = 0;
    std::size_t part_bytes = 0;
  };
  void send_and_receive(const Group& group, std::byte* room, const device::Stream& stream) const;

  const Communicator& ranks() const noexcept { return ranks_; }
  const device::Context& context() const noexcept { return context_; }

 private:
  struct State;

  const Communicator& ranks_;
  device::Context context_;
  std::unique_ptr<State> state_;
};

inline constexpr int kGpuBlockBits = 28;

// The exchanged bits lie below kGpuBlockBits. Throws Error{usage} for fewer values than GPUs can share.
Split gpu_split_of(const Communicator& ranks, int log2_size);

// The counterpart of log2_transform_ranks() for GPUs.
int log2_gpu_ranks(int log2_size, int ranks);

// From slabs to interleaved (gpu_split_of), or back, in place; blocks until done. Uses at most 2 x 2^27 bytes
// of device memory beside the values.
template <class T>
void walsh(const GpuRanks& gpus, device::DeviceSpan<T> mine, int log2_size, Layout now);

// The exchange alone, as in walsh(), for measurements.
template <class T>
void exchange_only(const GpuRanks& gpus, device::DeviceSpan<T> mine, int log2_size);

}  // namespace fugu::distributed
