// Transforms over GPUs: the pieces of an exchange, and what is computed before and after it.
#include "fugu/distributed/gpu.hpp"

#include <algorithm>
#include <bit>

#include "fugu/distributed/detail/gpu_link.hpp"
#include "fugu/spectral/cuda/stages.hpp"
#include "fugu/spectral/cuda/walsh.hpp"

namespace fugu::distributed {
namespace {

using detail::GpuLink;
using device::DeviceSpan;
using device::Event;
using device::EventKind;
using device::Stream;

// Blocks of this size take two passes: 2^24 values of four bytes, 2^23 of eight.
constexpr std::size_t kBlockBytes = std::size_t{1} << 26;
// Blocks are larger where many ranks would exchange smaller parts than this.
constexpr int kMinPartBits = 18, kMaxBlockBits = 25;  // one fits a slot
// Pieces are at least this fraction of the values.
constexpr std::size_t kMinPieces = 8;

// One transform, or the exchange of one.
template <class T>
class Exchange {
 public:
  Exchange(const GpuRanks& gpus, DeviceSpan<T> mine, const Split& split)
      : link_(gpus.link()),
        mine_(mine),
        split_(split),
        row_values_(std::size_t{1} << (split.exchanged + split.log2_ranks)),
        worker_(gpus.context()),
        ready_(gpus.context(), EventKind::order) {}

  // Queued work uses the caller's memory.
  ~Exchange() { worker_.drain(); }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  void transform() {
    const int first = split_.exchanged;
    spectral::cuda::walsh_stages(mine_, first, split_.local_bits() - first, worker_);
    exchange([&](std::size_t row, std::size_t count, const std::byte* slot) {
      const auto* arrived = reinterpret_cast<const T*>(slot);
      for (std::size_t end = row + count; row < end; ++row, arrived += others() * columns())
        spectral::cuda::walsh_received<T>(rows_at(row, 1), {arrived, first, own()}, worker_);
    });
  }

  // Exchanges the parts of all rows. use(row, count, slot) queues what the worker does with a piece, `count`
  // rows from `row` on, whose other parts arrive in the slot; the next pieces are on their way by then.
  template <class Use>
  void exchange(const Use& use) {
    ready_.record(worker_);
    link_.after(ready_);
    const std::size_t count = rows_per_piece(), pieces = rows() / count;
    const std::uint64_t first = link_.next();
    for (std::size_t i = 0; i < pieces + GpuLink::kAhead; ++i) {
      if (i < pieces) link_.send({bytes_at(i * count), count, columns() * sizeof(T)});
      if (i < GpuLink::kAhead) continue;
      const std::size_t arriving = i - GpuLink::kAhead;
      link_.await(first + arriving, worker_);
      use(arriving * count, count, link_.slot(first + arriving));
      link_.used(first + arriving, worker_);
    }
    worker_.synchronize();
  }

 private:
  std::size_t columns() const { return std::size_t{1} << split_.exchanged; }
  std::size_t others() const { return (std::size_t{1} << split_.log2_ranks) - 1; }
  unsigned own() const { return static_cast<unsigned>(link_.ranks().rank()); }
  std::size_t rows() const { return mine_.size / row_values_; }
  DeviceSpan<T> rows_at(std::size_t row, std::size_t count) const {
    return mine_.subspan(row * row_values_, count * row_values_);
  }
  std::byte* bytes_at(std::size_t row) const { return reinterpret_cast<std::byte*>(rows_at(row, 1).data); }

  std::size_t rows_per_piece() const {
    const std::size_t most = GpuLink::kSlotBytes / (others() * columns() * sizeof(T));
    return std::clamp<std::size_t>(rows() / kMinPieces, 1, std::bit_floor(most));
  }

  GpuLink& link_;
  DeviceSpan<T> mine_;
  Split split_;
  std::size_t row_values_;
  Stream worker_;
  Event ready_;
};

int block_bits(int local_bits, int log2_ranks, std::size_t value_bytes) {
  const int usual = spectral::log2_exact(kBlockBytes / value_bytes);
  return std::min({local_bits, std::max(usual, kMinPartBits + log2_ranks), kMaxBlockBits});
}

}  // namespace

GpuRanks::GpuRanks(const Communicator& ranks, const device::Context& context, By by)
    : ranks_(ranks), context_(context) {
  if (by == By::fastest) link_ = detail::link_by_copies(ranks, context);
  if (link_ == nullptr) link_ = detail::link_by_nccl(ranks, context);
}

GpuRanks::~GpuRanks() = default;

int log2_gpu_ranks(int log2_size, int ranks) {
  int p = static_cast<int>(std::bit_width(static_cast<unsigned>(ranks))) - 1;
  while (p > 0 && std::min(log2_size - p, kMaxBlockBits) - p < spectral::cuda::kMinStridedStage) --p;
  return p;
}

Split gpu_split_of(const Communicator& ranks, int log2_size, std::size_t value_bytes) {
  const int p = spectral::log2_exact(static_cast<std::uint64_t>(ranks.size()));
  if (log2_gpu_ranks(log2_size, ranks.size()) != p) {
    throw Error(Errc::usage, "2^" + std::to_string(log2_size) + " values are too few for " +
                                 std::to_string(ranks.size()) + " GPUs");
  }
  return {log2_size, p, block_bits(log2_size - p, p, value_bytes) - p};
}

template <class T>
void walsh(const GpuRanks& gpus, DeviceSpan<T> mine, int log2_size) {
  const Split split = gpu_split_of(gpus.ranks(), log2_size, sizeof(T));
  if (mine.size != split.local_values()) throw Error(Errc::usage, "these are not the values of one rank");
  if (split.log2_ranks == 0) {
    const Stream worker(gpus.context());
    spectral::cuda::walsh(mine, log2_size, spectral::Ordering::natural, worker);
    return worker.synchronize();
  }
  Exchange<T>(gpus, mine, split).transform();
}

template <class T>
void exchange_only(const GpuRanks& gpus, DeviceSpan<T> mine, int log2_size) {
  Exchange<T>(gpus, mine, gpu_split_of(gpus.ranks(), log2_size, sizeof(T))).exchange([](auto...) {});
}

#define FUGU_INSTANTIATE(T)                                 \
  template void walsh(const GpuRanks&, DeviceSpan<T>, int); \
  template void exchange_only(const GpuRanks&, DeviceSpan<T>, int);
FUGU_INSTANTIATE(std::int32_t)
FUGU_INSTANTIATE(std::int64_t)
FUGU_INSTANTIATE(float)
FUGU_INSTANTIATE(double)
#undef FUGU_INSTANTIATE

}  // namespace fugu::distributed
