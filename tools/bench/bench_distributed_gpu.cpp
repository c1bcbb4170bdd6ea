// Walsh transforms over the GPUs of all ranks, compared with one GPU and with the link alone.
//
// usage: mpirun -n RANKS bench_distributed_gpu [LOG2_SIZE...]     34 by default; CSV on standard output
//
// what: "ranks" is a transform of 2^n 32-bit values by all ranks, "one" the same by rank 0's GPU if it fits
// there, "exchange" only the exchange between ranks in it, "link" as many bytes between them in one copy per
// peer. bytes: those that each rank sends, and for transforms those of its values.
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "fugu/device/peer.hpp"
#include "fugu/distributed/gpu.hpp"
#include "fugu/spectral/cuda/walsh.hpp"

namespace {

using namespace fugu;
using namespace fugu::distributed;
using device::Buffer;
using device::Contents;
using Value = std::int32_t;

constexpr int kSamples = 7;
constexpr std::size_t kLinkBytes = std::size_t{1} << 32;  // of all parts

template <class Work>
void measure(const Communicator& ranks, const char* what, int n, std::size_t bytes, Work work) {
  work();
  for (int sample = 0; sample < kSamples; ++sample) {
    MPI_Barrier(ranks.get());
    const auto begin = std::chrono::steady_clock::now();
    work();
    MPI_Barrier(ranks.get());
    const std::chrono::duration<double, std::micro> elapsed = std::chrono::steady_clock::now() - begin;
    if (ranks.is_root())
      std::printf("%s,%d,%d,%zu,%d,%.1f\n", what, ranks.size(), n, bytes, sample, elapsed.count());
  }
}

void transforms(const Communicator& world, const device::Context& context, int n, GpuRanks::By by) {
  const GpuRanks gpus(world, context, by);
  const device::Stream stream(context);
  const Split split = gpu_split_of(world, n, sizeof(Value));
  const Buffer<Value> mine(stream, split.local_values(), Contents::open);
  device::wipe(mine.span(), stream);
  stream.synchronize();
  const auto parts = static_cast<std::size_t>(world.size());
  const std::size_t bytes = split.local_values() * sizeof(Value);
  const bool nccl = by == GpuRanks::By::nccl;
  measure(world, nccl ? "ranks by nccl" : "ranks", n, bytes, [&] { walsh(gpus, mine.span(), n); });
  measure(world, nccl ? "exchange by nccl" : "exchange", n, bytes / parts * (parts - 1),
          [&] { exchange_only(gpus, mine.span(), n); });
}

// Copies between the GPUs, of which all begin together.
void link(const Communicator& world, const device::Context& context, int n) {
  const device::Stream stream(context);
  const auto parts = static_cast<std::size_t>(world.size());
  const auto own = static_cast<std::size_t>(world.rank());
  const std::size_t part = kLinkBytes / parts;
  const device::ExportedMemory to(stream, kLinkBytes);
  std::vector<device::ExportHandle> handles(parts);
  MPI_Allgather(&to.handle(), sizeof handles[0], MPI_BYTE, handles.data(), sizeof handles[0], MPI_BYTE,
                world.get());
  std::vector<device::ImportedMemory> peers;
  for (std::size_t i = 0; i < parts; ++i) {
    if (i != own) peers.emplace_back(context, handles[i]);
  }
  const Buffer<std::byte> from(stream, kLinkBytes, Contents::open);
  measure(world, "link", n, part * peers.size(), [&] {
    for (const auto& peer : peers)
      device::copy_on_device(device::DeviceSpan<std::byte>{peer.data() + own * part, part},
                             device::DeviceSpan<const std::byte>(from.span().subspan(own * part, part)),
                             stream);
    stream.synchronize();
  });
  peers.clear();
  MPI_Barrier(world.get());
}

void run(const Communicator& world, const device::Context& context, int n) {
  transforms(world, context, n, GpuRanks::By::fastest);
  link(world, context, n);
  transforms(world, context, n, GpuRanks::By::nccl);
  const device::Stream stream(context);
  const std::size_t whole_bytes = sizeof(Value) << n;
  if (whole_bytes > context.info().memory_bytes / 10 * 9) return;
  Buffer<Value> whole;
  if (world.is_root()) {
    whole = Buffer<Value>(stream, std::size_t{1} << n, Contents::open);
    device::wipe(whole.span(), stream);
    stream.synchronize();
  }
  measure(world, "one", n, whole_bytes, [&] {
    if (!world.is_root()) return;
    spectral::cuda::walsh(whole.span(), n, spectral::Ordering::natural, stream);
    stream.synchronize();
  });
}

}  // namespace

int main(int count, char** words) {
  try {
    const Runtime runtime;
    const Communicator world(MPI_COMM_WORLD);
    const device::Context context(place_on_node(world, 1, 1).rank);
    if (world.is_root()) std::printf("what,ranks,n,bytes,sample,microseconds\n");
    std::vector<int> sizes;
    for (int i = 1; i < count; ++i) sizes.push_back(std::atoi(words[i]));
    if (sizes.empty()) sizes.push_back(34);
    for (const int n : sizes) run(world, context, n);
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "bench_distributed_gpu: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }
}
