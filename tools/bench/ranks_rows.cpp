// Walsh transforms over the GPUs of all MPI ranks, beside one GPU and the link alone. `bytes` are those that
// each rank sends, and for transforms those of its values.
#include <cstdio>

#include "bench.hpp"
#include "fugu/device/peer.hpp"
#include "fugu/distributed/gpu.hpp"
#include "fugu/spectral/cuda/walsh.hpp"

namespace fugu::bench {
namespace {

using namespace distributed;
using device::Buffer;
using device::Contents;
using Value = std::int32_t;

constexpr int kLog2Values = 34;
constexpr std::size_t kLinkBytes = std::size_t{1} << 32;  // of all parts

class Ranks {
 public:
  explicit Ranks(Bench& bench)
      : bench_(bench), context_(place_on_node(world_, 1, 1).rank), stream_(context_) {}

  void transforms(GpuRanks::By by) {
    const GpuRanks gpus(world_, context_, by);
    const Split split = gpu_split_of(world_, kLog2Values, sizeof(Value));
    const Buffer<Value> mine = zeros(split.local_values());
    const std::size_t bytes = split.local_values() * sizeof(Value);
    const std::string way = by == GpuRanks::By::nccl ? " by nccl" : "";
    take("walsh int32" + way, bytes, [&] { walsh(gpus, mine.span(), kLog2Values); });
    take("exchange" + way, bytes / parts() * (parts() - 1),
         [&] { exchange_only(gpus, mine.span(), kLog2Values); });
  }

  // Copies between the GPUs, of which all begin together.
  void link() {
    const auto own = static_cast<std::size_t>(world_.rank());
    const std::size_t part = kLinkBytes / parts();
    const device::ExportedMemory to(stream_, kLinkBytes);
    std::vector<device::ExportHandle> handles(parts());
    MPI_Allgather(&to.handle(), sizeof handles[0], MPI_BYTE, handles.data(), sizeof handles[0], MPI_BYTE,
                  world_.get());
    std::vector<device::ImportedMemory> peers;
    for (std::size_t i = 0; i < parts(); ++i)
      if (i != own) peers.emplace_back(context_, handles[i]);
    const Buffer<std::byte> from(stream_, kLinkBytes, Contents::open);
    take("link", part * peers.size(), [&] {
      for (const auto& peer : peers)
        device::copy_on_device(device::DeviceSpan<std::byte>{peer.data() + own * part, part},
                               device::DeviceSpan<const std::byte>(from.span().subspan(own * part, part)),
                               stream_);
      stream_.synchronize();
    });
    peers.clear();
    MPI_Barrier(world_.get());
  }

  // The same transform by the first rank's GPU, if it fits there.
  void one() {
    const std::size_t bytes = sizeof(Value) << kLog2Values;
    if (bytes > context_.info().memory_bytes / 10 * 9) return;
    Buffer<Value> whole;
    if (world_.is_root()) whole = zeros(std::size_t{1} << kLog2Values);
    take("walsh int32 by one", bytes, [&] {
      if (!world_.is_root()) return;
      spectral::cuda::walsh(whole.span(), kLog2Values, spectral::Ordering::natural, stream_);
      stream_.synchronize();
    });
  }

  bool is_root() const { return world_.is_root(); }

 private:
  std::size_t parts() const { return static_cast<std::size_t>(world_.size()); }

  Buffer<Value> zeros(std::size_t count) {
    Buffer<Value> values(stream_, count, Contents::open);
    device::wipe(values.span(), stream_);
    stream_.synchronize();
    return values;
  }

  void take(const std::string& mode, std::uint64_t bytes, const std::function<void()>& work) {
    const auto run = [&] {
      MPI_Barrier(world_.get());
      return wall_seconds([&] {
        work();
        MPI_Barrier(world_.get());
      });
    };
    bench_.sampler.take(
        {Scope::ranks, "cuda:0", 0, mode, n_is(kLog2Values), std::to_string(world_.size()) + " ranks", bytes},
        {.run = run});
  }

  Bench& bench_;
  Communicator world_{MPI_COMM_WORLD};
  device::Context context_;
  device::Stream stream_;
};

// An error of one rank ends all.
void run(Bench& bench) {
  if (!bench.mpi) bench.mpi = std::make_shared<Runtime>();
  try {
    Ranks ranks(bench);
    bench.prints = ranks.is_root();
    ranks.transforms(GpuRanks::By::fastest);
    ranks.link();
    ranks.transforms(GpuRanks::By::nccl);
    ranks.one();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fugu_bench: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

}  // namespace

std::vector<BenchRow> ranks_rows() {
  return {{Scope::ranks, "walsh", run}};
}

}  // namespace fugu::bench
