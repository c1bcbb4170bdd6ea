// NCCL: the only file that includes it.
#include "fugu/distributed/gpu.hpp"

#ifdef FUGU_HAS_NCCL

#include <nccl.h>

namespace fugu::distributed {
namespace {

void require(ncclResult_t result, const char* what) {
  if (result != ncclSuccess)
    throw Error(Errc::engine, std::string("NCCL: ") + what + ": " + ncclGetErrorString(result));
}

}  // namespace

struct GpuRanks::State {
  ncclComm_t comm = nullptr;
  ~State() {
    if (comm != nullptr) ncclCommDestroy(comm);
  }
};

GpuRanks::GpuRanks(const Communicator& ranks, const device::Context& context)
    : ranks_(ranks), context_(context), state_(std::make_unique<State>()) {
  ncclUniqueId id{};
  at_root(ranks, [&] { require(ncclGetUniqueId(&id), "ncclGetUniqueId"); });
  broadcast(ranks, std::as_writable_bytes(std::span(&id, 1)));
  together(ranks, [&] {
    const device::detail::CurrentDevice current(*context_.state());
    require(ncclCommInitRank(&state_->comm, ranks.size(), id, ranks.rank()), "ncclCommInitRank");
  });
}

GpuRanks::~GpuRanks() = default;

void GpuRanks::send_and_receive(const Group& group, std::byte* room, const device::Stream& stream) const {
  const device::detail::CurrentDevice current(*context_.state());
  const auto parts = static_cast<std::size_t>(ranks_.size());
  require(ncclGroupStart(), "ncclGroupStart");
  for (std::size_t block = 0; block < group.blocks; ++block) {
    for (std::size_t part = 0; part < parts; ++part) {
      const int peer = static_cast<int>(part);
      if (peer == ranks_.rank()) continue;
      const std::size_t at = (block * parts + part) * group.part_bytes;
      require(ncclSend(group.data + at, group.part_bytes, ncclInt8, peer, state_->comm, stream.handle()),
              "ncclSend");
      require(ncclRecv(room + at, group.part_bytes, ncclInt8, peer, state_->comm, stream.handle()),
              "ncclRecv");
    }
  }
  require(ncclGroupEnd(), "ncclGroupEnd");
}

}  // namespace fugu::distributed

#else

namespace fugu::distributed {

struct GpuRanks::State {};

GpuRanks::GpuRanks(const Communicator& ranks, const device::Context& context)
    : ranks_(ranks), context_(context) {
  throw Error(Errc::no_device, "this build knows nothing of NCCL, which GPUs of several ranks need");
}

GpuRanks::~GpuRanks() = default;

void GpuRanks::send_and_receive(const Group&, std::byte*, const device::Stream&) const {}

}  // namespace fugu::distributed

#endif
