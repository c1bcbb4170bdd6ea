#include "fugu/engine/cuda/cuda_engine.hpp"

#include <algorithm>
#include <mutex>

#include "fugu/device/buffer.hpp"
#include "fugu/engine/cuda/worker.hpp"
#include "fugu/engine/detail/between_hooks.hpp"
#include "fugu/error.hpp"
#include "fugu/platform/system.hpp"
#include "fugu/threads/thread_pool.hpp"
#include "kernels/blowfish/blowfish_launch.hpp"

namespace fugu::engine::cuda {
namespace {

// Each copy costs the link some 8 us beside its bytes, so long calls use long slices; short calls are cut
// finer, so that copies and kernels overlap (gpu_slices_h200.csv at 25ce3044).
constexpr std::size_t kMinSliceBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxSliceBytes = std::size_t{32} << 20;
constexpr std::size_t kSlicesPerCall = 32;

constexpr std::size_t kSlots = 4;

// Pageable memory goes through pinned memory, and one thread takes several times as long for these copies as
// the link. So several threads do it, each with a ring of its own, whose slices are short enough to stay in
// cache.
constexpr unsigned kMaxLanes = 8;
constexpr std::size_t kLaneSlots = 2;
constexpr std::size_t kSlicesPerLane = 4;
constexpr std::size_t kMaxStagedBytes = std::size_t{2} << 20;
constexpr std::size_t kMinLaneBytes = std::size_t{4}
                                      << 20;  // a shorter call ends before the threads have started

// slice_bytes() keeps whole blocks.
static_assert(kMinSliceBytes % 16 == 0 && kMaxSliceBytes % 16 == 0 && kMaxStagedBytes % 16 == 0);
static_assert(kMinSliceBytes <= kMaxSliceBytes && kMinSliceBytes <= kMaxStagedBytes);

std::size_t total_bytes(std::span<const Segment> segments) {
  std::size_t total = 0;
  for (const Segment& segment : segments) total += segment.in.size();
  return total;
}

std::size_t slice_bytes(std::size_t total, std::size_t slices, std::size_t most) {
  return std::clamp(total / slices / 16 * 16, kMinSliceBytes, most);
}

unsigned lanes_per_device(std::size_t devices) {
  const auto count = static_cast<unsigned>(std::max<std::size_t>(devices, 1));
  return std::clamp(platform::usable_processors() / count, 1u, kMaxLanes);
}

// Queries the driver once for neighbouring memory, such as the segments of a chunk.
template <class Memory>
bool all_pinned(const device::Context& context, std::span<const Segment> segments, Memory memory) {
  constexpr std::uintptr_t kMaxBetween = std::uintptr_t{64} << 10;
  std::span<const std::byte> run;
  for (const Segment& segment : segments) {
    const std::span<const std::byte> next = memory(segment);
    const auto gap = reinterpret_cast<std::uintptr_t>(next.data()) -
                     reinterpret_cast<std::uintptr_t>(run.data()) - run.size();
    if (!run.empty() && gap <= kMaxBetween) {
      run = {run.data(), run.size() + gap + next.size()};
    } else {
      if (!device::is_pinned(context, run.data(), run.size())) return false;
      run = next;
    }
  }
  return device::is_pinned(context, run.data(), run.size());
}

// Reading and writing take longer than a call of this size, and the program stays under 256 MiB resident.
constexpr std::size_t kChunkBytes = std::size_t{16} << 20;

void free_pinned(std::byte*, std::size_t, void* memory) noexcept {
  delete static_cast<device::PinnedMemory*>(memory);
}

class CudaEngine final : public Engine {
 public:
  CudaEngine(std::string name, const std::vector<int>& devices, unsigned threads)
      : name_(std::move(name)),
        pool_(threads != 0 ? threads : platform::usable_processors()),
        drivers_(lanes_per_device(devices.size()) * static_cast<unsigned>(devices.size())) {
    if (devices.empty()) throw Error(Errc::no_device, "engine " + name_ + ": its GPU does not respond");
    for (const int index : devices) {
      contexts_.emplace_back(index);
      workers_.push_back(std::make_unique<Worker>(contexts_.back(), kSlots));
    }
    for (unsigned i = 0; i < drivers_.threads(); ++i)
      lanes_.push_back(std::make_unique<Worker>(contexts_[i % contexts_.size()], kLaneSlots));
  }

  std::string_view name() const noexcept override { return name_; }

  void run(Op op, std::span<const Segment> segments) override { run_slices(op, segments); }

  Chunk allocate(std::size_t bytes) override {
    auto memory = std::make_unique<device::PinnedMemory>(contexts_.front(), bytes);
    std::byte* data = memory->data();
    return Chunk(data, bytes, {free_pinned, memory.release()});
  }

  void run_with(Op op, std::span<const Segment> segments, const SegmentHooks& hooks) override {
    if (threads::ThreadPool::in_shared_turn()) return Engine::run_with(op, segments, hooks);
    run_between_hooks(*this, op, segments, hooks,
                      [this](std::size_t count, const auto& turn) { pool_.for_each(count, turn); });
  }

  std::size_t preferred_chunk_bytes() const noexcept override { return kChunkBytes * contexts_.size(); }

  unsigned threads() const noexcept override { return pool_.threads(); }

 private:
  using Workers = std::vector<std::unique_ptr<Worker>>;

  bool has_pinned(std::span<const Segment> segments) const {
    const device::Context& context = contexts_.front();
    return all_pinned(context, segments, [](const Segment& segment) { return segment.in; }) &&
           all_pinned(context, segments, [](const Segment& segment) { return segment.out; });
  }

  void run_slices(Op op, std::span<const Segment> segments) {
    check_segments(op, segments);
    const std::size_t bytes = total_bytes(segments);
    const bool in_lanes = bytes >= kMinLaneBytes && !has_pinned(segments);
    const std::size_t most = in_lanes ? slice_bytes(bytes, kSlicesPerLane * lanes_.size(), kMaxStagedBytes)
                                      : slice_bytes(bytes, kSlicesPerCall, kMaxSliceBytes);
    const std::vector<Slice> slices = plan_slices(op, segments, most, kernels::kMaxSegments);
    if (slices.empty()) return;
    const std::scoped_lock one_call(calls_);
    run_workers(in_lanes ? lanes_ : workers_, op, slices);
  }

  // One thread per worker. The first failure stops the others at their next slice.
  void run_workers(const Workers& workers, Op op, std::span<const Slice> slices) {
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> stop = false;
    const auto work = [&](std::size_t i) {
      try {
        workers[i]->run(op, slices, next, stop);
      } catch (...) {
        stop = true;
        throw;
      }
    };
    drivers_.for_each(std::min(workers.size(), slices.size()), work);
  }

  std::string name_;
  threads::ThreadPool pool_;  // runs the hooks
  std::mutex calls_;          // the devices' slots serve one call at a time; one call keeps them busy
  std::vector<device::Context> contexts_;
  Workers workers_;  // one per device
  Workers lanes_;    // of pageable memory, several per device
  threads::ThreadPool drivers_;
};

}  // namespace

std::unique_ptr<Engine> make_cuda_engine(std::string name, const std::vector<int>& devices,
                                         unsigned threads) {
  return std::make_unique<CudaEngine>(std::move(name), devices, threads);
}

}  // namespace fugu::engine::cuda
