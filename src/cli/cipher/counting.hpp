// A sink that counts.
#pragma once

#include <memory>

#include "fugu/stream/sink.hpp"

namespace fugu::cli {

// Counts the bytes on their way to `inner`.
class Counting final : public stream::Sink {
 public:
  explicit Counting(Sink& inner) : inner_(inner) {}

  void write(std::span<const std::byte> from) override {
    inner_.write(from);
    bytes_ += from.size();
  }
  bool begin_parts(std::uint64_t bytes) override { return inner_.begin_parts(bytes); }
  std::unique_ptr<Sink> part(std::uint64_t offset) override { return inner_.part(offset); }
  void advance(std::uint64_t bytes) override {
    inner_.advance(bytes);
    bytes_ += bytes;
  }
  void finish() override { inner_.finish(); }
  void cancel() noexcept override { inner_.cancel(); }

  std::uint64_t bytes() const { return bytes_; }

 private:
  Sink& inner_;
  std::uint64_t bytes_ = 0;
};

}  // namespace fugu::cli
