// Exchange between the GPUs of one machine: each copies into the others' memory by its copy engines, which
// leaves the multiprocessors to the transform. NCCL's kernels take multiprocessors and pass everything
// through buffers of their own.

#include "fugu/device/buffer.hpp"
#include "fugu/device/peer.hpp"
#include "fugu/distributed/detail/gpu_link.hpp"

namespace fugu::distributed::detail {
namespace {

using device::ExportedMemory;
using device::ExportHandle;
using device::ImportedMemory;
using device::Stream;

// Returns whether `work` succeeds on every rank. Collective.
template <class Work>
bool works_everywhere(const Communicator& ranks, Work&& work) {
  int works = 1;
  try {
    work();
  } catch (...) {
    works = 0;
  }
  check(MPI_Allreduce(MPI_IN_PLACE, &works, 1, MPI_INT, MPI_MIN, ranks.get()), "MPI_Allreduce");
  return works != 0;
}

// The hosts tell each other that pieces have arrived, when one more is already on its way. GPUs that waited
// for each other's words (cuStreamWaitValue32) would lose 0.2 ms per piece.
class CopyLink : public GpuLink {
 public:
  CopyLink(const Communicator& ranks, const device::Context& context)
      : GpuLink(ranks, context),
        memory_(stream_, kRoomBytes),
        handles_(static_cast<std::size_t>(ranks.size())) {}

  // No rank frees memory that another has open. A rank that fails alone waits for none.
  ~CopyLink() override {
    stream_.drain();
    peers_.clear();
    const bool is_whole = arrived_ == next_ && std::uncaught_exceptions() == 0;
    if (opens_ && is_whole) MPI_Barrier(ranks_.get());
  }

  // Collective.
  void exchange_handles() {
    constexpr int kBytes = sizeof(ExportHandle);
    check(MPI_Allgather(&memory_.handle(), kBytes, MPI_BYTE, handles_.data(), kBytes, MPI_BYTE, ranks_.get()),
          "MPI_Allgather");
  }

  void open_peers() {
    opens_ = true;
    for (std::size_t part = 0; part < handles_.size(); ++part)
      if (part != own()) peers_.emplace_back(stream_.context(), handles_[part]);
  }

  void send(const RankRows& piece) override {
    const std::uint64_t number = next_++;
    if (number >= kAhead) agree_on_arrival(number - kAhead);
    for (std::size_t part = 0; part < parts(); ++part)
      if (part != own()) copy(piece, part, number);
    left_[number % kSlots].record(stream_);
  }

  void await(std::uint64_t number, const Stream&) override { agree_on_arrival(number); }

 private:
  std::byte* room() const override { return memory_.data(); }
  std::byte* peer(std::size_t part) const { return peers_[part - (part > own() ? 1 : 0)].data(); }

  // Waits until the pieces up to this number have left every rank and have been used there, but for the last
  // kAhead of them: then kAhead slots are free.
  void agree_on_arrival(std::uint64_t number) {
    for (; arrived_ <= number; ++arrived_) {
      left_[arrived_ % kSlots].synchronize();
      if (arrived_ >= kAhead) used_[(arrived_ - kAhead) % kSlots].synchronize();
      check(MPI_Barrier(ranks_.get()), "MPI_Barrier");
    }
  }

  // One copy per row: a single copy of rows with a pitch travels at three quarters of the speed (H200: 289
  // GB/s, plain copies of 16 and 256 MiB 356 and 390).
  void copy(const RankRows& piece, std::size_t part, std::uint64_t number) const {
    const std::size_t place = own() - (own() > part ? 1 : 0);
    std::byte* to = peer(part) + slot_offset(number) + place * piece.part_bytes;
    const std::byte* from = piece.data + part * piece.part_bytes;
    for (std::size_t row = 0; row < piece.rows; ++row) {
      device::copy_on_device(device::DeviceSpan<std::byte>{to, piece.part_bytes},
                             device::DeviceSpan<const std::byte>{from, piece.part_bytes}, stream_);
      to += (parts() - 1) * piece.part_bytes;
      from += parts() * piece.part_bytes;
    }
  }

  ExportedMemory memory_;
  std::vector<ExportHandle> handles_;
  std::vector<ImportedMemory> peers_;  // in the order of the other ranks
  bool opens_ = false;                 // as every rank does
  std::uint64_t arrived_ = 0;
};

}  // namespace

std::unique_ptr<GpuLink> link_by_copies(const Communicator& ranks, const device::Context& context) {
  if (place_on_node(ranks, 1, 1).ranks != ranks.size()) return nullptr;
  std::unique_ptr<CopyLink> link;
  if (!works_everywhere(ranks, [&] { link = std::make_unique<CopyLink>(ranks, context); })) return nullptr;
  link->exchange_handles();
  if (!works_everywhere(ranks, [&] { link->open_peers(); })) return nullptr;
  return link;
}

}  // namespace fugu::distributed::detail
