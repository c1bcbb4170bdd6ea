#include "fugu/spectral/cuda/staging.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <utility>

#include "fugu/platform/processors.hpp"
#include "fugu/threads/thread_pool.hpp"

namespace fugu::spectral::cuda {
namespace {

// Below this size, one thread is done before pinned memory is allocated.
constexpr std::size_t kMinStagedBytes = std::size_t{32} << 20;

// Pieces are long enough for the link's full rate. They are short because the system needs 0.7 ms per MiB to
// allocate pinned memory.
constexpr std::size_t kPieceBytes = std::size_t{256} << 10;

constexpr unsigned kMaxLanes = 8;
constexpr std::size_t kLanePieces = 2;

// One thread's stream and its part of the pinned memory. One piece is in transfer while the other is copied.
class Lane {
 public:
  Lane(const device::Context& context, std::span<std::byte> pinned)
      : stream_(context),
        pieces_{Piece(context, pinned.first(kPieceBytes)),
                Piece(context, pinned.subspan(kPieceBytes, kPieceBytes))} {}
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane() { stream_.drain(); }

  void start_after(const device::Event& event) { stream_.wait(event); }

  void upload(device::DeviceSpan<std::byte> to, const std::byte* from) {
    Piece& piece = next_piece();
    piece.arrived.synchronize();
    std::memcpy(piece.pinned.data(), from, to.size);
    device::copy_to_device(to, piece.pinned.first(to.size), stream_);
    piece.arrived.record(stream_);
  }

  void download(std::byte* to, device::DeviceSpan<const std::byte> from) {
    Piece& piece = next_piece();
    take(piece);
    device::copy_to_host(piece.pinned.first(from.size), from, stream_);
    piece.arrived.record(stream_);
    piece.to = to;
    piece.bytes = from.size;
  }

  // Waits for the last pieces. Throws Error{engine}.
  void finish() {
    for (std::size_t i = 0; i < kLanePieces; ++i) take(next_piece());
    stream_.synchronize();
  }

 private:
  struct Piece {
    Piece(const device::Context& context, std::span<std::byte> memory)
        : pinned(memory), arrived(context, device::EventKind::order) {}

    std::span<std::byte> pinned;
    device::Event arrived;
    std::byte* to = nullptr;  // the destination of a download
    std::size_t bytes = 0;
  };

  Piece& next_piece() { return pieces_[turn_++ % kLanePieces]; }

  static void take(Piece& piece) {
    piece.arrived.synchronize();
    if (piece.bytes != 0) std::memcpy(piece.to, piece.pinned.data(), std::exchange(piece.bytes, 0));
  }

  device::Stream stream_;
  std::array<Piece, kLanePieces> pieces_;
  std::size_t turn_ = 0;
};

// Calls copy(lane, offset, bytes) for pieces that cover [0, bytes), after the work queued on `stream`. Blocks
// until all copies are done.
template <class Copy>
void in_lanes(std::size_t bytes, const device::Stream& stream, Copy copy) {
  constexpr std::size_t kLaneBytes = kLanePieces * kPieceBytes;
  threads::ThreadPool pool(std::min(platform::usable_processors(), kMaxLanes));
  const device::PinnedBuffer<std::byte> pinned(stream.context(), pool.threads() * kLaneBytes);
  device::Event ready(stream.context(), device::EventKind::order);
  ready.record(stream);
  std::atomic<std::size_t> next = 0;
  pool.for_each(pool.threads(), [&](std::size_t i) {
    Lane lane(stream.context(), pinned.span().subspan(i * kLaneBytes, kLaneBytes));
    lane.start_after(ready);
    for (std::size_t offset; (offset = next.fetch_add(kPieceBytes)) < bytes;)
      copy(lane, offset, std::min(kPieceBytes, bytes - offset));
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
