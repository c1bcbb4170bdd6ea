// Sources and sinks in memory that fail on request, for the tests of this layer.
#pragma once

#include <algorithm>

#include "fugu/stream/sink.hpp"
#include "fugu/stream/source.hpp"
#include "support/testing.hpp"

namespace fugu::stream {

using test::Bytes;
using test::bytes_of;
using test::pattern;
using test::same_bytes;
using test::text_of;

inline constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

class FaultySource final : public Source {
 public:
  // Throws Error{io, "read fault"} when byte `fails_at` would be read.
  explicit FaultySource(Bytes bytes, std::uint64_t fails_at = kNever)
      : bytes_(std::move(bytes)), fails_at_(fails_at) {}

  std::size_t read(std::span<std::byte> into) override {
    if (before_read) before_read();
    const std::size_t step = std::min(into.size(), bytes_.size() - at_);
    if (fails_at_ < at_ + into.size()) throw Error(Errc::io, "read fault");
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), step, into.begin());
    at_ += step;
    return step;
  }

  std::function<void()> before_read;

 private:
  Bytes bytes_;
  std::uint64_t fails_at_;
  std::size_t at_ = 0;
};

class FaultySink final : public Sink {
 public:
  // Throws Error{io, "write fault"} when byte `fails_at` would be written.
  explicit FaultySink(std::uint64_t fails_at = kNever) : fails_at_(fails_at) {}

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

inline Bytes read_all(Source& source, std::size_t step = std::size_t{64} * 1024) {
  Bytes all;
  Bytes part(step);
  while (const std::size_t got = source.read(part)) {
    all.insert(all.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(got));
  }
  return all;
}

// The error of `call`, which must throw one.
inline Error error_of(const std::function<void()>& call) {
  return test::error_of(call).value_or(Error(Errc::usage, "no error was thrown"));
}

}  // namespace fugu::stream
