// The transform of spectral.hpp on GPUs, one per rank: stages on each, and one exchange between them.
//
// The stages above a block of 64 MiB or more come first, then the exchange of the rank's bits for the upper
// ones of each block, then the stages of the blocks. Blocks are exchanged while earlier ones are transformed.
// Between the GPUs of one machine that reach each other's memory their copy engines carry the values,
// otherwise NCCL.
#pragma once

#include "fugu/device/buffer.hpp"
#include "fugu/distributed/spectral.hpp"

namespace fugu::distributed {

namespace detail {
class GpuLink;
}

// The ranks of a communicator, each with its context's GPU. Holds 2^30 bytes of each GPU's memory.
class GpuRanks {
 public:
  enum class By : std::uint8_t { fastest, nccl };

  // Collective, and so is the destructor. Throws Error{no_device} in a build without NCCL if the ranks need
  // it, Error{engine} when NCCL does not start.
  GpuRanks(const Communicator& ranks, const device::Context& context, By by = By::fastest);
  ~GpuRanks();
  GpuRanks(const GpuRanks&) = delete;
  GpuRanks& operator=(const GpuRanks&) = delete;

  const Communicator& ranks() const noexcept { return ranks_; }
  const device::Context& context() const noexcept { return context_; }
  detail::GpuLink& link() const noexcept { return *link_; }

 private:
  const Communicator& ranks_;
  device::Context context_;
  std::unique_ptr<detail::GpuLink> link_;
};

// Values of `value_bytes` bytes. Throws Error{usage} for fewer values than GPUs can share.
Split gpu_split_of(const Communicator& ranks, int log2_size, std::size_t value_bytes);

// The counterpart of log2_transform_ranks() for GPUs.
int log2_gpu_ranks(int log2_size, int ranks);

// From slabs to interleaved (gpu_split_of), or back, in place; blocks until done.
template <class T>
void walsh(const GpuRanks& gpus, device::DeviceSpan<T> mine, int log2_size);

// The exchange alone, as in walsh(), for measurements.
template <class T>
void exchange_only(const GpuRanks& gpus, device::DeviceSpan<T> mine, int log2_size);

}  // namespace fugu::distributed
