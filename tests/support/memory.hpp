// Memory as a source and a sink.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "fugu/stream/sink.hpp"
#include "fugu/stream/source.hpp"
#include "support/pattern.hpp"

namespace fugu::test {

enum class Seekable : std::uint8_t { no, yes };  // a pipe, or a file

class BytesSource final : public stream::Source {
 public:
  // `bytes` outlive it.
  explicit BytesSource(std::span<const std::byte> bytes, Seekable seekable = Seekable::yes)
      : bytes_(bytes), seekable_(seekable == Seekable::yes) {}

  std::size_t read(std::span<std::byte> into) override {
    const std::size_t step = std::min(into.size(), bytes_.size() - at_);
    std::ranges::copy(bytes_.subspan(at_, step), into.begin());
    at_ += step;
    return step;
  }
  std::optional<std::uint64_t> size_bytes() const override {
    return seekable_ ? std::optional<std::uint64_t>(bytes_.size()) : std::nullopt;
  }
  bool peek_tail(std::span<std::byte> into) override {
    if (!seekable_ || into.size() > bytes_.size()) return false;
    std::ranges::copy(bytes_.last(into.size()), into.begin());
    return true;
  }
  bool read_at(std::span<std::byte> into, std::uint64_t offset) override {
    if (!seekable_ || offset > bytes_.size() || into.size() > bytes_.size() - offset) return false;
    std::ranges::copy(bytes_.subspan(static_cast<std::size_t>(offset), into.size()), into.begin());
    bytes_read_at += into.size();
    return true;
  }

  std::uint64_t bytes_read_at = 0;

 private:
  std::span<const std::byte> bytes_;
  bool seekable_;
  std::size_t at_ = 0;
};

class BytesSink final : public stream::Sink {
 public:
  void write(std::span<const std::byte> from) override {
    bytes.insert(bytes.end(), from.begin(), from.end());
  }
  void finish() override { ++finished; }

  Bytes bytes;
  int finished = 0;
};

}  // namespace fugu::test
