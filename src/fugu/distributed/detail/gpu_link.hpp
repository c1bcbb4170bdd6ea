// How GPUs of several ranks exchange pieces of their values. Internal.
#pragma once

#include <array>

#include "fugu/device/context.hpp"
#include "fugu/distributed/communicator.hpp"

namespace fugu::distributed::detail {

// `rows` rows of a part of `part_bytes` per rank. Part j goes to rank j, and the parts from there arrive
// packed: row after row, and in a row in the order of the other ranks.
struct RankRows {
  std::byte* data;
  std::size_t rows;
  std::size_t part_bytes;
};

// Pieces are numbered from 0 on by every rank alike, and arrive in one of kSlots slots in turn. For each of
// them, in order: send(), at most kAhead of them before await(), then work that uses the slot, and used().
class GpuLink {
 public:
  static constexpr std::uint64_t kSlots = 4, kAhead = 2;
  static constexpr std::size_t kSlotBytes = std::size_t{1} << 28;
  static constexpr std::size_t kRoomBytes = kSlots * kSlotBytes;

  GpuLink(const Communicator& ranks, const device::Context& context)
      : ranks_(ranks), stream_(context), left_(events(context)), used_(events(context)) {}
  GpuLink(const GpuLink&) = delete;
  GpuLink& operator=(const GpuLink&) = delete;
  virtual ~GpuLink() = default;

  // Everything sent from now on waits for the event.
  void after(const device::Event& event) { stream_.wait(event); }
  // The number of the next piece.
  std::uint64_t next() const noexcept { return next_; }
  // Queues the next piece. What arrives of it has at most kSlotBytes.
  virtual void send(const RankRows& piece) = 0;
  // Work queued on `stream` from now on waits until the piece has arrived, and this rank's has left.
  virtual void await(std::uint64_t number, const device::Stream& stream) = 0;
  // The last use of the slot is already queued on `stream`.
  void used(std::uint64_t number, const device::Stream& stream) { used_[number % kSlots].record(stream); }

  std::byte* slot(std::uint64_t number) const { return room() + slot_offset(number); }

  const Communicator& ranks() const noexcept { return ranks_; }

 protected:
  virtual std::byte* room() const = 0;
  static std::size_t slot_offset(std::uint64_t number) { return number % kSlots * kSlotBytes; }
  using Events = std::array<device::Event, kSlots>;
  static Events events(const device::Context& context) {
    const auto one = [&] { return device::Event(context, device::EventKind::order); };
    return {one(), one(), one(), one()};
  }

  std::size_t parts() const { return static_cast<std::size_t>(ranks_.size()); }
  std::size_t own() const { return static_cast<std::size_t>(ranks_.rank()); }

  const Communicator& ranks_;
  device::Stream stream_;
  Events left_;
  Events used_;
  std::uint64_t next_ = 0;
};

// Collective. Returns nullptr on every rank unless all of them run on one machine and their GPUs reach each
// other's memory.
std::unique_ptr<GpuLink> link_by_copies(const Communicator& ranks, const device::Context& context);

// Collective. Throws Error{no_device} in a build without NCCL, Error{engine} when NCCL does not start.
std::unique_ptr<GpuLink> link_by_nccl(const Communicator& ranks, const device::Context& context);

}  // namespace fugu::distributed::detail
