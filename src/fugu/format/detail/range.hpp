// --range OFF:LEN, and reading a part of a seekable source. Private to format.
#pragma once

#include <memory>

#include "fugu/format/option.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::format {

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
