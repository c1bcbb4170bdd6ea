// Sources that can be inspected before they are read, parts of sources, and --range OFF:LEN. Private to
// format.
#pragma once

#include <memory>

#include "fugu/core/wipe.hpp"
#include "fugu/format/job.hpp"
#include "fugu/format/option.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::format {

// Enough to judge a beginning, and to take small inputs from pipes whole.
inline constexpr std::size_t kLookaheadBytes = std::size_t{64} << 10;

class Lookahead final : public stream::Source {
 public:
  // `source` has not been read from, and outlives this. Unless it `is_all` of the input, nothing is known of
  // the input's end.
  explicit Lookahead(stream::Source& source, bool is_all = true) : source_(source), is_all_(is_all) {}

  // The next `bytes`, or fewer if the input ends. Valid until the next call of peek or read.
  std::span<const std::byte> peek(std::size_t bytes);

  // Consumes bytes that were peeked.
  void skip(std::size_t bytes);

  // Equivalent to peek() and skip() of exactly `bytes`. Throws Error{damaged}: "the file ends inside WHAT".
  std::vector<std::byte> take(std::size_t bytes, std::string_view what);

  // The number of consumed bytes.
  std::uint64_t position() const { return position_; }

  // The number of bytes that read() has still to return, if known.
  std::optional<std::uint64_t> bytes_left() const;

  // Copies some, or the last, of these bytes without consuming any; false if there are fewer, or they cannot
  // be read.
  bool peek_at(std::uint64_t offset, std::span<std::byte> into);
  bool peek_end(std::span<std::byte> into);

  // The files begin with `header`, which outlives this, and ciphertext holds it by chance once in 2^64 bytes:
  // where it follows again, files were joined, and read() throws Error{damaged}. Empty: nothing is expected.
  void expect_no_more(std::string_view header) { header_ = header; }

  // Throws that error at once if the header follows within the next 256 MiB, where these can be read ahead.
  void require_no_more();

  // Makes read() end after `bytes` more, even if the input goes on.
  void limit(std::uint64_t bytes) { limit_ = position_ + bytes; }

  std::size_t read(std::span<std::byte> into) override;
  std::optional<std::uint64_t> size_bytes() const override { return source_.size_bytes(); }
  void cancel() noexcept override { source_.cancel(); }

 private:
  void require_single(std::span<const std::byte> next);
  std::span<const std::byte> buffered() const { return std::span(buffer_).subspan(taken_); }

  stream::Source& source_;
  bool is_all_;
  std::vector<std::byte> buffer_;
  std::size_t taken_ = 0;  // of buffer_
  std::uint64_t position_ = 0;
  std::optional<std::uint64_t> limit_;
  std::string_view header_;
  std::string last_;    // of what was searched: the header may go on in what is read next
  bool ended_ = false;  // buffer_ holds everything left
};

// `job` with another source or sink, and with no watcher but this one.
Job with_source(const Job& job, stream::Source& source, Watcher* watcher = nullptr);
Job with_sink(const Job& job, stream::Sink& sink);

// Far more than any password file holds.
inline constexpr std::size_t kMaxWholeBytes = std::size_t{256} << 20;

// The rest of `source`. Throws Error{damaged} if that is more than kMaxWholeBytes: "too long for WHAT".
core::WipedBytes take_all(Lookahead& source, std::string_view what);

// The same of the job's source, counted as read.
core::WipedBytes read_whole(const Job& job, std::string_view what);

// Writes all of a job's output, and finishes its sink.
void write_whole(const Job& job, std::span<const std::byte> bytes);

struct Range {
  std::uint64_t first = 0;
  std::optional<std::uint64_t> count;  // empty: everything that follows
};

inline constexpr OptionRow kRangeRow =
    text_option("range OFF:LEN",
                "Only LEN bytes from byte OFF on; OFF: alone means all from there. Of a file, only the parts "
                "that hold them are read.",
                OptionUse::open);

// The value of the option kRangeRow, empty if it is not given. Throws Error{usage}.
std::optional<Range> range_of(const OptionValues& options);

// A row's check where no other option needs one.
void check_range(const OptionValues& options, OptionUse use);

// The size of a regular file, for work in parts. Throws Error{usage} for pipes.
std::uint64_t file_bytes(const stream::Source& source);

// The size of a seekable input. Throws Error{usage} for pipes.
std::uint64_t seekable_bytes(stream::Source& source);

// The bytes [offset, end) of a seekable source.
class PartSource final : public stream::Source {
 public:
  PartSource(stream::Source& whole, std::uint64_t offset, std::uint64_t end)
      : whole_(whole), begin_(offset), offset_(offset), end_(end) {}

  std::size_t read(std::span<std::byte> into) override;
  std::optional<std::uint64_t> size_bytes() const override { return end_ - begin_; }
  bool read_at(std::span<std::byte> into, std::uint64_t offset) override {
    return offset <= end_ - begin_ && into.size() <= end_ - begin_ - offset &&
           whole_.read_at(into, begin_ + offset);
  }
  std::unique_ptr<stream::Source> companion(std::string_view extension) const override {
    return whole_.companion(extension);
  }
  void cancel() noexcept override { whole_.cancel(); }

 private:
  stream::Source& whole_;
  std::uint64_t begin_;
  std::uint64_t offset_;
  std::uint64_t end_;
};

// The rest of a source that has been read up to its byte `begin`, or the first `length` bytes of that. It can
// be read at several places where the whole can.
class RestSource final : public stream::Source {
 public:
  RestSource(stream::Source& whole, std::uint64_t begin, std::optional<std::uint64_t> length = {})
      : whole_(whole), begin_(begin), length_(length.value_or(std::numeric_limits<std::uint64_t>::max())) {}

  std::size_t read(std::span<std::byte> into) override;
  std::optional<std::uint64_t> size_bytes() const override;
  bool read_at(std::span<std::byte> into, std::uint64_t offset) override {
    return offset <= length_ && into.size() <= length_ - offset && whole_.read_at(into, begin_ + offset);
  }
  std::optional<std::uint64_t> offset() override {
    return whole_.offset() ? std::optional(at_) : std::nullopt;
  }
  void advance(std::uint64_t bytes) override;
  void cancel() noexcept override { whole_.cancel(); }

 private:
  stream::Source& whole_;
  std::uint64_t begin_;
  std::uint64_t length_;
  std::uint64_t at_ = 0;
};

}  // namespace fugu::format
