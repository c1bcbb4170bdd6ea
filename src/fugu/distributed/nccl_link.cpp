// Exchange by NCCL, also between machines: the only file that includes it.
#include "fugu/distributed/detail/gpu_link.hpp"

#ifdef FUGU_HAS_NCCL

#include <nccl.h>

#include <string>

#include "fugu/device/buffer.hpp"

namespace fugu::distributed::detail {
namespace {

void require(ncclResult_t result, const char* what) {
  if (result != ncclSuccess)
    throw Error(Errc::engine, std::string("NCCL: ") + what + ": " + ncclGetErrorString(result));
}

class NcclLink : public GpuLink {
 public:
  NcclLink(const Communicator& ranks, const device::Context& context)
      : GpuLink(ranks, context), room_(stream_, kRoomBytes, device::Contents::open) {
    stream_.synchronize();  // the room is used on other streams too
  }

  // Collective.
  void connect() {
    ncclUniqueId id{};
    at_root(ranks_, [&] { require(ncclGetUniqueId(&id), "ncclGetUniqueId"); });
    broadcast(ranks_, std::as_writable_bytes(std::span(&id, 1)));
    const device::detail::CurrentDevice current(*stream_.context().state());
    require(ncclCommInitRank(&comm_, ranks_.size(), id, ranks_.rank()), "ncclCommInitRank");
  }

  ~NcclLink() override {
    stream_.drain();
    if (comm_ != nullptr) ncclCommDestroy(comm_);
  }

  void send(const RankRows& piece) override {
    const std::uint64_t number = next_++;
    if (number >= kSlots) stream_.wait(used_[number % kSlots]);
    {
      const device::detail::CurrentDevice current(*stream_.context().state());
      require(ncclGroupStart(), "ncclGroupStart");
      std::byte* to = slot(number);
      for (std::size_t row = 0; row < piece.rows; ++row) {
        for (std::size_t part = 0; part < parts(); ++part) {
          if (part == own()) continue;
          const std::byte* from = piece.data + (row * parts() + part) * piece.part_bytes;
          const int peer = static_cast<int>(part);
          require(ncclSend(from, piece.part_bytes, ncclInt8, peer, comm_, stream_.handle()), "ncclSend");
          require(ncclRecv(to, piece.part_bytes, ncclInt8, peer, comm_, stream_.handle()), "ncclRecv");
          to += piece.part_bytes;
        }
      }
      require(ncclGroupEnd(), "ncclGroupEnd");
    }
    left_[number % kSlots].record(stream_);
  }

  void await(std::uint64_t number, const device::Stream& stream) override {
    stream.wait(left_[number % kSlots]);
  }

 private:
  std::byte* room() const override { return room_.data(); }

  device::Buffer<std::byte> room_;
  ncclComm_t comm_ = nullptr;
};

}  // namespace

std::unique_ptr<GpuLink> link_by_nccl(const Communicator& ranks, const device::Context& context) {
  std::unique_ptr<NcclLink> link;
  together(ranks, [&] { link = std::make_unique<NcclLink>(ranks, context); });
  link->connect();
  return link;
}

}  // namespace fugu::distributed::detail

#else

namespace fugu::distributed::detail {

std::unique_ptr<GpuLink> link_by_nccl(const Communicator& ranks, const device::Context&) {
  at_root(ranks,
          [] { throw Error(Errc::no_device, "this build has no NCCL, which the GPUs of these ranks need"); });
  return nullptr;
}

}  // namespace fugu::distributed::detail

#endif
