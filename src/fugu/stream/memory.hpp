// Memory as a source and a sink.
#pragma once

#include <vector>

#include "fugu/stream/sink.hpp"

namespace fugu::stream {

// Seekable, like a file.
class FUGU_EXPORT MemorySource final : public Source {
 public:
  // `bytes` outlive it.
  explicit MemorySource(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::size_t read(std::span<std::byte> into) override;
  std::optional<std::uint64_t> size_bytes() const override { return bytes_.size(); }
  bool read_at(std::span<std::byte> into, std::uint64_t offset) override;
  std::optional<std::uint64_t> offset() override { return at_; }
  void advance(std::uint64_t bytes) override;

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

// Grows as it is written to. Memory is wiped on reallocation and destruction: it may hold plaintext.
class FUGU_EXPORT MemorySink final : public Sink {
 public:
  MemorySink() = default;
  MemorySink(const MemorySink&) = delete;
  MemorySink& operator=(const MemorySink&) = delete;
  ~MemorySink() override;

  // Allocates room for `bytes` in total, so that no reallocation is needed.
  void reserve(std::size_t bytes);

  void write(std::span<const std::byte> from) override;

  std::span<const std::byte> bytes() const noexcept { return bytes_; }

  // Moves the written bytes out and leaves the sink empty.
  std::vector<std::byte> take() noexcept;

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace fugu::stream
