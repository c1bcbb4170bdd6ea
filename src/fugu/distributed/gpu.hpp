// The transform of spectral.hpp on GPUs, one per rank: stages on each, exchange between them by NCCL.
//
// Blocks of kGpuBlockBits index bits are transformed whole, which is two passes over memory; the rank's bits
// are exchanged for the upper ones of a block, block after block, while others are worked on; the stages
// above are done last, or first on the way back. Everything exists in every build: without NCCL the
// constructor of GpuRanks says so.
#pragma once

#include <memory>

#include "fugu/device/buffer.hpp"
#include "fugu/distributed/spectral.hpp"

namespace fugu::distributed {

// NCCL over the ranks of a communicator, each with the GPU of its context.
class GpuRanks {
 public:
  // Collective. Throws Error{no_device} in a build without NCCL, Error{engine} where NCCL does not start.
  GpuRanks(const Communicator& ranks, const device::Context& context);
  ~GpuRanks();
  GpuRanks(const GpuRanks&) = delete;
  GpuRanks& operator=(const GpuRanks&) = delete;

  // Queues on `stream`: of each block of the group its part number j goes to rank j and is replaced by what
  // comes from there, through `room`, which holds as much as the group. The own part stays. `blocks` blocks
  // of `parts` parts of `bytes` each; this rank is one of `parts`.
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

// What log2_transform_ranks() is, for GPUs.
int log2_gpu_ranks(int log2_size, int ranks);

// From slabs to interleaved (gpu_split_of), or back, in place; waits. At most 2 x 2^27 bytes of device memory
// beside the values.
template <class T>
void walsh(const GpuRanks& gpus, device::DeviceSpan<T> mine, int log2_size, Layout now);

// The exchange alone, for measurements: as walsh() does it.
template <class T>
void exchange_only(const GpuRanks& gpus, device::DeviceSpan<T> mine, int log2_size);

}  // namespace fugu::distributed
