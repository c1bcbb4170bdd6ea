// Functions for the tests of the sealed format that seal and open in memory.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fugu/engine/registry.hpp"
#include "fugu/error.hpp"
#include "fugu/format/sealed/sealed.hpp"
#include "support/memory.hpp"

namespace fugu::test {

// The smallest segments that the library allows; the command line cannot ask for them.
inline constexpr format::SealedBounds kTestBounds{.min_segment_log2 = 4};

// The outcome of opening a file: an error if there was one, and the bytes that were released.
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
                   const format::SealedBounds& bounds, std::size_t chunk_bytes, Seekable seekable,
                   Read read) {
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
              Seekable seekable = Seekable::yes) {
    return open_with(file, secret, bounds, chunk_bytes, seekable, format::decrypt_sealed);
  }

  engine::Engine& engine() { return *engine_; }

 private:
  std::unique_ptr<engine::Engine> engine_;
};

}  // namespace fugu::test
