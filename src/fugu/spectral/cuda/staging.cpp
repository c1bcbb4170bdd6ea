#include "fugu/spectral/cuda/staging.hpp"

#include <array>
#include <atomic>
#include <cstring>

#include "fugu/platform/system.hpp"
#include "fugu/threads/thread_pool.hpp"

namespace fugu::spectral::cuda {
namespace {

// Below this size, one thread is done before pinned memory is allocated.
constexpr std::size_t kMinStagedBytes = std::size_t{32} << 20;

// Pieces are long enough for the link's full rate. They are short because the system needs 0.7 ms per MiB to
// allocate pinned memory.
constexpr std::size_t kSlotBytes = std::size_t{256} << 10;

constexpr unsigned kMaxLanes = 8;
constexpr std::size_t kLaneSlots = 2;

// One thread's stream and its part of the pinned memory. One slot is in transfer while the other is copied.
class Lane {
 public:
  Lane(const device::Context& context, std::span<std::byte> pinned)
      : stream_(context),
        slots_{Slot(context, pinned.first(kSlotBytes)),
               Slot(context, pinned.subspan(kSlotBytes, kSlotBytes))} {}
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane() { stream_.drain(); }

  void start_after(const device::Event& event) { stream_.wait(event); }

  void upload(device::DeviceSpan<std::byte> to, const std::byte* from) {
    Slot& slot = next_slot();
    slot.arrived.synchronize();
    std::memcpy(slot.pinned.data(), from, to.size);
    device::copy_to_device(to, slot.pinned.first(to.size), stream_);
    slot.arrived.record(stream_);
  }

  void download(std::byte* to, device::DeviceSpan<const std::byte> from) {
    Slot& slot = next_slot();
    take(slot);
    device::copy_to_host(slot.pinned.first(from.size), from, stream_);
    slot.arrived.record(stream_);
    slot.to = to;
    slot.bytes = from.size;
  }

  // Waits for the last pieces. Throws Error{engine}.
  void finish() {
    for (std::size_t i = 0; i < kLaneSlots; ++i) take(next_slot());
    stream_.synchronize();
  }

 private:
  struct Slot {
    Slot(const device::Context& context, std::span<std::byte> memory)
        : pinned(memory), arrived(context, device::EventKind::order) {}

    std::span<std::byte> pinned;
    device::Event arrived;
    std::byte* to = nullptr;  // the destination of a download
    std::size_t bytes = 0;
  };

  Slot& next_slot() { return slots_[turn_++ % kLaneSlots]; }

  static void take(Slot& slot) {
    slot.arrived.synchronize();
    if (slot.bytes != 0) std::memcpy(slot.to, slot.pinned.data(), std::exchange(slot.bytes, 0));
  }

  device::Stream stream_;
  std::array<Slot, kLaneSlots> slots_;
  std::size_t turn_ = 0;
};

// Calls copy(lane, offset, bytes) for pieces that cover [0, bytes), after the work queued on `stream`. Blocks
// until all copies are done.
template <class Copy>
void in_lanes(std::size_t bytes, const device::Stream& stream, Copy copy) {
  constexpr std::size_t kLaneBytes = kLaneSlots * kSlotBytes;
  threads::ThreadPool pool(std::min(platform::usable_processors(), kMaxLanes));
  const device::PinnedBuffer<std::byte> pinned(stream.context(), pool.threads() * kLaneBytes);
  device::Event ready(stream.context(), device::EventKind::order);
  ready.record(stream);
  std::atomic<std::size_t> next = 0;
  pool.for_each(pool.threads(), [&](std::size_t i) {
    Lane lane(stream.context(), pinned.span().subspan(i * kLaneBytes, kLaneBytes));
    lane.start_after(ready);
    for (std::size_t offset; (offset = next.fetch_add(kSlotBytes)) < bytes;)
      copy(lane, offset, std::min(kSlotBytes, bytes - offset));
    lane.finish();
  });
}

bool is_staged(const void* host, std::size_t bytes, const device::Stream& stream) {
  return bytes >= kMinStagedBytes && !device::is_pinned(stream.context(), host, bytes);
}

}  // namespace

void upload_bytes(device::DeviceSpan<std::byte> to, const std::byte* from, const device::Stream& stream) {
  if (!is_staged(from, to.size, stream)) {
    device::copy_to_device(to, std::span(from, to.size), stream);
    return stream.synchronize();
  }
  in_lanes(to.size, stream, [&](Lane& lane, std::size_t offset, std::size_t bytes) {
    lane.upload(to.subspan(offset, bytes), from + offset);
  });
}

void download_bytes(std::byte* to, device::DeviceSpan<const std::byte> from, const device::Stream& stream) {
  if (!is_staged(to, from.size, stream)) {
    device::copy_to_host(std::span(to, from.size), from, stream);
    return stream.synchronize();
  }
  in_lanes(from.size, stream, [&](Lane& lane, std::size_t offset, std::size_t bytes) {
    lane.download(to + offset, from.subspan(offset, bytes));
  });
}

}  // namespace fugu::spectral::cuda
