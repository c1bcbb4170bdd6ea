// Sources and sinks in memory that fail on request, for the tests of this layer.
#pragma once

#include "support/memory.hpp"
#include "support/testing.hpp"

namespace fugu::stream {

using test::Bytes;
using test::bytes_of;
using test::BytesSink;
using test::kNever;
using test::pattern;
using test::same_bytes;
using test::text_of;

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

inline Bytes read_all(Source& source, std::size_t step = std::size_t{64} * 1024) {
  Bytes all;
  Bytes part(step);
  while (const std::size_t got = source.read(part))
    all.insert(all.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(got));
  return all;
}

// The error of `call`, which must throw one.
inline Error error_of(const std::function<void()>& call) {
  return test::error_of(call).value_or(Error(Errc::usage, "no error was thrown"));
}

inline void expect_fails(Errc code, std::string_view text, const std::function<void()>& call) {
  const Error error = error_of(call);
  EXPECT_EQ(error.code(), code);
  EXPECT_EQ(error.text(), text);
}

}  // namespace fugu::stream
