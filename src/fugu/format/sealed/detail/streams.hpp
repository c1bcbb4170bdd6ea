// Adapters between the pump, whose chunks are whole stored segments, and plain bytes. Private to format.
#pragma once

#include "fugu/format/detail/filters.hpp"
#include "fugu/format/sealed/header.hpp"

namespace fugu::format {

// Throws Error{usage} for more plaintext than there is room for.
void require_room(std::uint64_t bytes, std::uint64_t room);

// Lays plaintext out as it will be stored: after each segment's bytes a gap for its tag, and after the end of
// the input a last, short, possibly empty segment. Sealing then works in place and nothing is moved. Reads
// request whole stored segments.
class GapSource final : public stream::Source {
 public:
  // `to_end`: the input ends where the file does; otherwise it consists of full segments, without a short one
  // after them. Throws Error{usage} for an input known to be longer than `max_bytes`; read() does so for
  // others.
  GapSource(stream::Source& plain, std::size_t segment_bytes, std::uint64_t max_bytes, bool to_end);

  std::size_t read(std::span<std::byte> into) override;
  std::optional<std::uint64_t> size_bytes() const override;
  void cancel() noexcept override { plain_.cancel(); }

 private:
  stream::Source& plain_;
  std::size_t segment_bytes_;
  std::uint64_t left_;
  bool to_end_;
  bool ended_ = false;
};

// Passes on the content of opened segments, without the gaps of the tags. Writes are whole stored segments,
// the last of them possibly short.
class GaplessSink final : public Filter {
 public:
  GaplessSink(stream::Sink& plain, std::size_t stored_segment_bytes)
      : Filter(plain), stored_segment_bytes_(stored_segment_bytes) {}

  void write(std::span<const std::byte> from) override;

 private:
  std::size_t stored_segment_bytes_;
};

}  // namespace fugu::format
