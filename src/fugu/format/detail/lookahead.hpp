// A source that can be looked into before it is read. Private to format.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fugu/format/job.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::format {

// Enough to judge a beginning by, and to take small inputs from pipes whole.
inline constexpr std::size_t kLookaheadBytes = std::size_t{64} << 10;

class Lookahead final : public stream::Source {
 public:
  // `source` has not been read from, and outlives this.
  explicit Lookahead(stream::Source& source) : source_(source) {}

  // The next `bytes`, fewer only where the input ends before. Valid until the next call of peek or read.
  std::span<const std::byte> peek(std::size_t bytes);

  // Takes bytes that were peeked.
  void skip(std::size_t bytes);

  // As peek() and skip() of exactly `bytes`. Throws Error{damaged}: "the file ends inside WHAT".
  std::vector<std::byte> take(std::size_t bytes, std::string_view what);

  // Bytes that were taken.
  std::uint64_t position() const { return position_; }

  // Bytes that read() has still to give, where that is known.
  std::optional<std::uint64_t> bytes_left() const;

  // Copies the last of those without taking them; false where they cannot be seen or are fewer.
  bool peek_end(std::span<std::byte> into);

  // read() ends after `bytes` more, though the input may go on.
  void limit(std::uint64_t bytes) { limit_ = position_ + bytes; }

  std::size_t read(std::span<std::byte> into) override;
  std::optional<std::uint64_t> size_bytes() const override { return source_.size_bytes(); }
  std::optional<stream::FileId> file_id() const override { return source_.file_id(); }
  void cancel() noexcept override { source_.cancel(); }

 private:
  std::span<const std::byte> buffered() const { return std::span(buffer_).subspan(taken_); }

  stream::Source& source_;
  std::vector<std::byte> buffer_;
  std::size_t taken_ = 0;  // of buffer_
  std::uint64_t position_ = 0;
  std::optional<std::uint64_t> limit_;
  bool ended_ = false;  // buffer_ holds all that is left
};

// `job` with another source or sink; nobody watches what a part of it does.
Job with_source(const Job& job, stream::Source& source);
Job with_sink(const Job& job, stream::Sink& sink);

}  // namespace fugu::format
