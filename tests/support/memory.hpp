// Memory as a source and a sink.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>

#include "fugu/error.hpp"
#include "fugu/stream/memory.hpp"
#include "fugu/stream/sink.hpp"
#include "fugu/stream/source.hpp"
#include "support/bytes.hpp"

namespace fugu::test {

enum class Seekable : std::uint8_t { no, yes };  // a pipe, or a file

// stream::MemorySource, counted; as a pipe it has no size and cannot seek.
class BytesSource final : public stream::Source {
 public:
  // `bytes` outlive it.
  explicit BytesSource(std::span<const std::byte> bytes, Seekable seekable = Seekable::yes)
      : memory_(bytes), seekable_(seekable == Seekable::yes) {}

  std::size_t read(std::span<std::byte> into) override { return memory_.read(into); }
  std::optional<std::uint64_t> size_bytes() const override {
    return seekable_ ? memory_.size_bytes() : std::nullopt;
  }
  bool read_at(std::span<std::byte> into, std::uint64_t offset) override {
    if (!seekable_ || !memory_.read_at(into, offset)) return false;
    bytes_read_at += into.size();
    return true;
  }

  std::optional<std::uint64_t> offset() override { return seekable_ ? memory_.offset() : std::nullopt; }
  void advance(std::uint64_t bytes) override { memory_.advance(bytes); }

  std::atomic<std::uint64_t> bytes_read_at = 0;

 private:
  stream::MemorySource memory_;
  bool seekable_;
};

inline constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

class BytesSink final : public stream::Sink {
 public:
  // Throws Error{io, "write fault"} when byte `fails_at` would be written.
  explicit BytesSink(std::uint64_t fails_at = kNever) : fails_at_(fails_at) {}

  void write(std::span<const std::byte> from) override {
    if (before_write) before_write();
    if (fails_at_ < bytes.size() + from.size()) throw Error(Errc::io, "write fault");
    bytes.insert(bytes.end(), from.begin(), from.end());
  }
  void finish() override {
    ++finished;
    if (fails_in_finish) throw Error(Errc::io, "finish fault");
  }

  Bytes bytes;
  int finished = 0;
  bool fails_in_finish = false;
  std::function<void()> before_write;

 private:
  std::uint64_t fails_at_;
};

}  // namespace fugu::test
