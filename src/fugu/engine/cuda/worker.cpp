#include "fugu/engine/cuda/worker.hpp"

#include <algorithm>
#include <cstring>

#include "fugu/core/wipe.hpp"
#include "fugu/device/buffer.hpp"
#include "fugu/error.hpp"
#include "kernels/blowfish/blowfish_launch.hpp"
#include "kernels/blowfish/blowfish_policy.hpp"

namespace fugu::engine::cuda {
namespace {

using kernels::BlowfishArguments;
using kernels::BlowfishShape;

// Smaller pieces are cheaper to pack into one copy than to copy alone, pinned or not.
constexpr std::size_t kDirectBytes = std::size_t{128} << 10;

static_assert(sizeof(cipher::Schedule::p) + sizeof(cipher::Schedule::s) == 4 * kernels::kScheduleWords,
              "schedules are copied to the device as they lie in memory");

BlowfishShape shape_of(const device::Context& context) {
  const device::DeviceInfo& info = context.info();
  return kernels::choose_shape(info.multiprocessors, info.shared_bytes_per_block, info.max_threads_per_block);
}

}  // namespace

class Worker::Slot {
 public:
  explicit Slot(const device::Context& context)
      : context_(context),
        shape_(shape_of(context)),
        stream_(context),
        done_(context, device::EventKind::order),
        schedules_(stream_, kernels::kMaxSegments * kernels::kScheduleWords),
        chain_(stream_, static_cast<std::size_t>(shape_.thread_blocks)),
        staged_schedules_(context, schedules_.size()) {}

  void start(Op op, const Slice& slice) {
    slice_ = &slice;
    if (data_.size() < slice.bytes) data_ = device::Buffer<std::byte>(stream_, slice.bytes);
    used_bytes_ = std::max(used_bytes_, slice.bytes);
    choose_ends();
    copy_up();
    const BlowfishArguments arguments = describe(slice);
    const core::ByteOrder words = slice.pieces.front().segment->words;
    device::launch_on(stream_, "blowfish kernel", [&](device::StreamHandle stream) {
      const int status = kernels::prepare_blowfish(op, words, shape_);
      return status != 0 ? status : kernels::launch_blowfish(op, words, arguments, shape_, stream);
    });
    copy_down();
    done_.record(stream_);
  }

  // Waits for the work that start() queued and copies staged output to the caller's memory.
  void finish() {
    if (slice_ == nullptr) return;
    done_.synchronize();
    for (std::size_t i = 0; i < slice_->pieces.size(); ++i) {
      const SegmentRun& piece = slice_->pieces[i];
      if (ends_[i].down != piece.out) std::memcpy(piece.out, ends_[i].down, piece.bytes);
    }
    slice_ = nullptr;
  }

  // Queues the zeroing of the call's data on the device; finish_wipe() waits and zeroes the pinned half.
  void wipe() {
    device::wipe(data_.span().subspan(0, used_bytes_), stream_);
    device::wipe(schedules_.span(), stream_);
    device::wipe(chain_.span(), stream_);
  }

  void finish_wipe() {
    stream_.synchronize();
    forget();
  }

  // After a failure: nothing may still be in flight into the caller's memory when its error reaches it.
  void abandon() noexcept {
    static_cast<void>(stream_.drain());
    forget();
  }

 private:
  bool is_direct(const std::byte* data, std::size_t bytes) const {
    return bytes >= kDirectBytes && device::is_pinned(context_, data, bytes);
  }

  // The host's end of a piece's copies: its own memory, or staging memory.
  struct Ends {
    std::byte* up;
    std::byte* down;
  };

  std::byte* staged(const SegmentRun& piece) const { return staged_data_.data() + piece.slice_offset; }

  // Nothing of this slot is in flight when a slice starts.
  void grow_staging() {
    if (staged_data_.size() < data_.size())
      staged_data_ = device::PinnedBuffer<std::byte>(context_, data_.size());
  }

  // Decided once per slice: a later query might give another answer.
  void choose_ends() {
    ends_.clear();
    for (const SegmentRun& piece : slice_->pieces) {
      const bool up = is_direct(piece.in, piece.bytes);
      const bool down = piece.in == piece.out ? up : is_direct(piece.out, piece.bytes);
      if (!(up && down)) grow_staging();
      ends_.push_back(
          {up ? const_cast<std::byte*>(piece.in) : staged(piece), down ? piece.out : staged(piece)});
    }
  }

  // Between pieces of an odd number of blocks, a slice has padding. Staging memory has it too; in the
  // caller's memory those bytes do not belong to the call.
  bool joins_next(std::byte* Ends::*end, std::size_t i) const {
    const SegmentRun& piece = slice_->pieces[i];
    const SegmentRun& next = slice_->pieces[i + 1];
    if (ends_[i].*end == staged(piece)) return ends_[i + 1].*end == staged(next);
    return ends_[i + 1].*end == ends_[i].*end + piece.bytes &&
           next.slice_offset == piece.slice_offset + piece.bytes;
  }

  // Neighbours that are staged, or adjacent in pinned memory, travel in one copy.
  template <class Copy>
  void for_each_run(std::byte* Ends::*end, const Copy& copy) {
    const std::vector<SegmentRun>& pieces = slice_->pieces;
    for (std::size_t first = 0; first < pieces.size();) {
      std::byte* host = ends_[first].*end;
      const std::size_t offset = pieces[first].slice_offset;
      std::size_t last = first;
      while (last + 1 < pieces.size() && joins_next(end, last)) ++last;
      copy(host, data_.span().subspan(offset, pieces[last].slice_offset + pieces[last].bytes - offset));
      first = last + 1;
    }
  }

  void copy_up() {
    for (std::size_t i = 0; i < slice_->pieces.size(); ++i) {
      const SegmentRun& piece = slice_->pieces[i];
      if (ends_[i].up != piece.in) std::memcpy(ends_[i].up, piece.in, piece.bytes);
    }
    for_each_run(&Ends::up, [this](const std::byte* host, device::DeviceSpan<std::byte> device) {
      device::copy_to_device(device, std::span(host, device.size), stream_);
    });
  }

  void copy_down() {
    for_each_run(&Ends::down, [this](std::byte* host, device::DeviceSpan<std::byte> device) {
      device::copy_to_host(std::span(host, device.size), device, stream_);
    });
  }

  BlowfishArguments describe(const Slice& slice) {
    load_schedules(slice);
    BlowfishArguments arguments{};
    arguments.chain = chain_.data();
    arguments.little_counter = slice.pieces.front().segment->counter == core::ByteOrder::little;
    for (const SegmentRun& piece : slice.pieces) {
      const auto held = std::find(held_.begin(), held_.end(), piece.segment->schedule);
      const auto index = static_cast<std::size_t>(held - held_.begin());
      std::byte* data = data_.data() + piece.slice_offset;
      arguments.segments[arguments.segment_count++] = {data,
                                                       data,
                                                       schedules_.data() + index * kernels::kScheduleWords,
                                                       piece.bytes / core::kBlockBytes,
                                                       piece.chain,
                                                       0};
    }
    return arguments;
  }

  // Keeps tables that this slot already holds from an earlier slice of the call. The staging copy may change:
  // the slot's last slice is finished.
  void load_schedules(const Slice& slice) {
    const std::size_t max = staged_schedules_.size() / kernels::kScheduleWords;
    std::vector<const cipher::Schedule*> wanted;
    for (const SegmentRun& piece : slice.pieces)
      if (std::find(wanted.begin(), wanted.end(), piece.segment->schedule) == wanted.end())
        wanted.push_back(piece.segment->schedule);
    std::vector<const cipher::Schedule*> missing;
    for (const cipher::Schedule* schedule : wanted)
      if (std::find(held_.begin(), held_.end(), schedule) == held_.end()) missing.push_back(schedule);
    if (missing.empty()) return;
    if (held_.size() + missing.size() > max) {
      held_.clear();
      missing = wanted;
    }
    const std::size_t first = held_.size() * kernels::kScheduleWords;
    for (const cipher::Schedule* schedule : missing) {
      std::uint32_t* to = staged_schedules_.data() + held_.size() * kernels::kScheduleWords;
      std::memcpy(to, schedule->p, sizeof schedule->p);
      std::memcpy(to + core::kSubkeys, schedule->s, sizeof schedule->s);
      held_.push_back(schedule);
    }
    most_held_ = std::max(most_held_, held_.size());
    const std::size_t words = missing.size() * kernels::kScheduleWords;
    device::copy_to_device(schedules_.span().subspan(first, words),
                           std::span<const std::uint32_t>(staged_schedules_.data() + first, words), stream_);
  }

  void forget() noexcept {
    core::wipe(staged_schedules_.data(), 4 * kernels::kScheduleWords * most_held_);
    core::wipe(staged_data_.data(), std::min(used_bytes_, staged_data_.size()));
    held_.clear();
    most_held_ = 0;
    used_bytes_ = 0;
    slice_ = nullptr;
  }

  device::Context context_;
  BlowfishShape shape_;
  device::Stream stream_;
  device::Event done_;
  device::Buffer<std::byte> data_;
  device::Buffer<std::uint32_t> schedules_;
  device::Buffer<std::uint64_t> chain_;
  device::PinnedBuffer<std::uint32_t> staged_schedules_;
  device::PinnedBuffer<std::byte> staged_data_;  // allocated on first use
  std::vector<const cipher::Schedule*> held_;    // the keys in schedules_, in order, in this call
  std::size_t most_held_ = 0;
  std::size_t used_bytes_ = 0;
  const Slice* slice_ = nullptr;  // the slice in flight
  std::vector<Ends> ends_;        // its pieces'
};

Worker::Worker(const device::Context& context, std::size_t slots) : context_(context), most_slots_(slots) {}

Worker::~Worker() = default;

void Worker::drain() noexcept {
  for (const auto& slot : slots_) slot->abandon();
  // Memory on a failed device is out of reach; buffers are zeroed again when they are freed.
  slots_.clear();
}

void Worker::run(Op op, std::span<const Slice> slices, std::atomic<std::size_t>& next,
                 const std::atomic<bool>& stop) {
  try {
    std::size_t turn = 0;
    for (std::size_t i = next++; i < slices.size() && !stop; i = next++, ++turn) {
      if (slots_.size() <= turn % most_slots_) slots_.push_back(std::make_unique<Slot>(context_));
      Slot& slot = *slots_[turn % most_slots_];
      slot.finish();
      slot.start(op, slices[i]);
    }
    for (const auto& slot : slots_) slot->finish();
    for (const auto& slot : slots_) slot->wipe();
    for (const auto& slot : slots_) slot->finish_wipe();
  } catch (...) {
    drain();
    throw;
  }
}

}  // namespace fugu::engine::cuda
