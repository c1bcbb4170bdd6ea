#include "fugu/distributed/gpu.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <string>

#include "fugu/spectral/cuda/stages.hpp"
#include "fugu/spectral/cuda/walsh.hpp"

namespace fugu::distributed {
namespace {

// Larger parts travel faster: 234 GB/s in groups of 2^27 bytes and blocks of 2^24 values, 332 in these, 361
// in one message of 2 GiB (distributed_gpu_h200.csv).
constexpr std::size_t kGroupBytes = std::size_t{1} << 30;

using device::Event;
using device::EventKind;
using device::Stream;

// Exchanges groups of blocks one after the other: a group travels while the one before it is copied into
// place and earlier ones are processed.
template <class T>
class Exchange {
 public:
  Exchange(const GpuRanks& gpus, device::DeviceSpan<T> mine, const Split& split)
      : gpus_(gpus),
        mine_(mine),
        part_values_(std::size_t{1} << split.exchanged),
        parts_(std::size_t{1} << split.log2_ranks),
        group_values_(std::min(mine.size, std::max(part_values_ * parts_, kGroupBytes / sizeof(T)))),
        link_(gpus.context()),
        copy_(gpus.context()),
        rooms_{device::Buffer<T>(link_, group_values_, device::Contents::open),
               device::Buffer<T>(link_, group_values_, device::Contents::open)} {
    link_.synchronize();  // the buffers are used on other streams too
  }
  ~Exchange() {
    link_.drain();
    copy_.drain();
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  std::size_t groups() const { return mine_.size / group_values_; }
  device::DeviceSpan<T> group(std::size_t index) const {
    return mine_.subspan(index * group_values_, group_values_);
  }

  // Starts after the work queued on `worker`, which continues after the exchange once it is told to wait().
  void run(std::size_t index, const Stream& worker) {
    const std::size_t slot = index % rooms_.size();
    ready_[slot].record(worker);
    link_.wait(ready_[slot]);
    link_.wait(copied_[slot]);
    const device::DeviceSpan<T> group = this->group(index);
    gpus_.send_and_receive({reinterpret_cast<std::byte*>(group.data), group.size / (part_values_ * parts_),
                            part_values_ * sizeof(T)},
                           reinterpret_cast<std::byte*>(rooms_[slot].data()), link_);
    travelled_[slot].record(link_);
    copy_.wait(travelled_[slot]);
    copy_back(group, rooms_[slot].span());
    copied_[slot].record(copy_);
  }

  void wait(std::size_t index, const Stream& worker) const { worker.wait(copied_[index % rooms_.size()]); }

 private:
  // Copies all parts but the rank's own, which have parts on both sides.
  void copy_back(device::DeviceSpan<T> group, device::DeviceSpan<T> room) const {
    const auto own = static_cast<std::size_t>(gpus_.ranks().rank());
    const std::size_t block = part_values_ * parts_;
    for (std::size_t at = 0; at < group.size; at += block) {
      for (const auto& [first, end] : {std::pair{std::size_t{0}, own}, std::pair{own + 1, parts_}}) {
        const std::size_t count = (end - first) * part_values_;
        const std::size_t from = at + first * part_values_;
        if (count != 0)
          device::copy_on_device(group.subspan(from, count),
                                 device::DeviceSpan<const T>(room.subspan(from, count)), copy_);
      }
    }
  }

  std::array<Event, 2> two_events() const {
    return {Event(gpus_.context(), EventKind::order), Event(gpus_.context(), EventKind::order)};
  }

  const GpuRanks& gpus_;
  device::DeviceSpan<T> mine_;
  std::size_t part_values_;
  std::size_t parts_;
  std::size_t group_values_;
  Stream link_;
  Stream copy_;
  std::array<device::Buffer<T>, 2> rooms_;
  std::array<Event, 2> ready_ = two_events();
  std::array<Event, 2> travelled_ = two_events();
  std::array<Event, 2> copied_ = two_events();
};

}  // namespace

int log2_gpu_ranks(int log2_size, int ranks) {
  int p = static_cast<int>(std::bit_width(static_cast<unsigned>(ranks))) - 1;
  while (p > 0 && std::min(log2_size - p, kGpuBlockBits) - p < spectral::cuda::kLeastStridedStage) --p;
  return p;
}

Split gpu_split_of(const Communicator& ranks, int log2_size) {
  const int p = spectral::log2_exact(static_cast<std::uint64_t>(ranks.size()));
  if (log2_gpu_ranks(log2_size, ranks.size()) != p) {
    throw Error(Errc::usage, "2^" + std::to_string(log2_size) + " values are too few for " +
                                 std::to_string(ranks.size()) + " GPUs");
  }
  return {log2_size, p, std::min(log2_size - p, kGpuBlockBits) - p};
}

template <class T>
void walsh(const GpuRanks& gpus, device::DeviceSpan<T> mine, int log2_size, Layout now) {
  const Split split = gpu_split_of(gpus.ranks(), log2_size);
  if (mine.size != split.local_values()) throw Error(Errc::usage, "these are not the values of one rank");
  const Stream worker(gpus.context());
  if (split.log2_ranks == 0) {
    spectral::cuda::walsh(mine, log2_size, spectral::Ordering::natural, worker);
    return worker.synchronize();
  }
  const int block_bits = split.exchanged + split.log2_ranks;
  const auto inner = [&](device::DeviceSpan<T> blocks) {
    spectral::cuda::walsh(blocks, block_bits, spectral::Ordering::natural, worker);
  };
  // The stages of bits that were exchanged, or will be.
  const auto outer = [&] {
    spectral::cuda::walsh_stages(mine, split.exchanged, split.local_bits() - split.exchanged, worker);
  };
  Exchange<T> exchange(gpus, mine, split);
  if (now == Layout::interleaved) outer();
  for (std::size_t i = 0; i < exchange.groups(); ++i) {
    if (now == Layout::slabs) inner(exchange.group(i));
    exchange.run(i, worker);
    if (now == Layout::interleaved && i > 0) {
      exchange.wait(i - 1, worker);
      inner(exchange.group(i - 1));
    }
  }
  exchange.wait(exchange.groups() - 1, worker);
  if (now == Layout::slabs) {
    outer();
  } else {
    inner(exchange.group(exchange.groups() - 1));
  }
  worker.synchronize();
}

template <class T>
void exchange_only(const GpuRanks& gpus, device::DeviceSpan<T> mine, int log2_size) {
  const Stream worker(gpus.context());
  Exchange<T> exchange(gpus, mine, gpu_split_of(gpus.ranks(), log2_size));
  for (std::size_t i = 0; i < exchange.groups(); ++i) exchange.run(i, worker);
  exchange.wait(exchange.groups() - 1, worker);
  worker.synchronize();
}

#define FUGU_INSTANTIATE(T)                                                 \
  template void walsh(const GpuRanks&, device::DeviceSpan<T>, int, Layout); \
  template void exchange_only(const GpuRanks&, device::DeviceSpan<T>, int);
FUGU_INSTANTIATE(std::int32_t)
FUGU_INSTANTIATE(std::int64_t)
FUGU_INSTANTIATE(float)
FUGU_INSTANTIATE(double)
#undef FUGU_INSTANTIATE

}  // namespace fugu::distributed
