// Sealing and opening in memory, for the tests of the sealed format.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fugu/engine/registry.hpp"
#include "fugu/error.hpp"
#include "fugu/format/sealed.hpp"
#include "support/pattern.hpp"

namespace fugu::test {

// The smallest a test build allows: the command line cannot ask for it.
inline constexpr format::SealedBounds kTestBounds{.min_segment_log2 = 4};

class BytesSource final : public stream::Source {
 public:
  explicit BytesSource(std::span<const std::byte> bytes, bool seekable = true)
      : bytes_(bytes), seekable_(seekable) {}

  std::size_t read(std::span<std::byte> into) override {
    const std::size_t step = std::min(into.size(), bytes_.size() - at_);
    std::ranges::copy(bytes_.subspan(at_, step), into.begin());
    at_ += step;
    return step;
  }
  std::optional<std::uint64_t> size_bytes() const override {
    return seekable_ ? std::optional<std::uint64_t>(bytes_.size()) : std::nullopt;
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
  Bytes bytes;
};

// What came of opening a file: an error, and in any case what was released.
struct Opened {
  std::optional<Error> error;
  Bytes released;

  bool ok() const { return !error; }
};

class SealedBench {
 public:
  explicit SealedBench(std::unique_ptr<engine::Engine> engine = engine::make("auto"))
      : engine_(std::move(engine)) {}

  Bytes seal(std::span<const std::byte> plain, const format::SealedSecret& secret,
             const format::SealedOptions& options, std::size_t chunk_bytes = 0) {
    BytesSource source(plain);
    BytesSink sink;
    format::encrypt_sealed({*engine_, source, sink, chunk_bytes, nullptr, {}}, secret, options);
    return sink.bytes;
  }

  // `read` is called with the job, the header and the keys.
  template <class Read>
  Opened open_with(std::span<const std::byte> file, const format::SealedSecret& secret,
                   const format::SealedBounds& bounds, std::size_t chunk_bytes, bool seekable, Read read) {
    BytesSource source(file, seekable);
    BytesSink sink;
    Opened opened;
    try {
      const format::SealedHeader header = format::read_sealed_header(source, bounds);
      const format::SealedKeys keys = format::unlock_sealed(header, secret);
      read(format::Job{*engine_, source, sink, chunk_bytes, nullptr, {}}, header, keys);
    } catch (const Error& error) {
      opened.error = error;
    }
    opened.released = std::move(sink.bytes);
    return opened;
  }

  Opened open(std::span<const std::byte> file, const format::SealedSecret& secret,
              const format::SealedBounds& bounds = kTestBounds, std::size_t chunk_bytes = 0,
              bool seekable = true) {
    return open_with(file, secret, bounds, chunk_bytes, seekable, format::decrypt_sealed);
  }

  engine::Engine& engine() { return *engine_; }

 private:
  std::unique_ptr<engine::Engine> engine_;
};

}  // namespace fugu::test
