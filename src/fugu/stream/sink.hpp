// Destinations of bytes: descriptors, nowhere, a comparison. Files that appear whole or not at all:
// output_file.hpp.
#pragma once

#include "fugu/error.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::stream {

class FUGU_EXPORT Sink {
 public:
  virtual ~Sink() = default;

  // Takes all of `from` or throws Error{io}.
  virtual void write(std::span<const std::byte> from) = 0;

  // Equivalent to one write() of the concatenated parts.
  virtual void write_parts(std::span<const std::span<const std::byte>> parts) {
    for (const std::span<const std::byte> part : parts) write(part);
  }

  // Prepares for parts of `bytes` in total, after the write position. False if the sink cannot be written at
  // several places at a time, or would not gain by it: then part() must not be called.
  virtual bool begin_parts(std::uint64_t bytes) {
    static_cast<void>(bytes);
    return false;
  }

  // A sink for what begins `offset` bytes after the write position; others write what follows. Thread-safe,
  // and so are parts that do not overlap. This sink outlives it. Throws Error{io}.
  virtual std::unique_ptr<Sink> part(std::uint64_t offset) {
    static_cast<void>(offset);
    return nullptr;
  }

  // Moves the write position past bytes that parts have written. Throws Error{io}.
  virtual void advance(std::uint64_t bytes) { static_cast<void>(bytes); }

  // Called once after the last write: flushes buffers and reports late errors.
  virtual void finish() {}

  // Called from another thread, as Source::cancel(), for sinks that wait for data themselves.
  virtual void cancel() noexcept {}
};

// Writes a descriptor it does not own (standard output). A broken pipe is an Error; no SIGPIPE is raised.
// `written` as in write_all().
FUGU_EXPORT std::unique_ptr<Sink> to_descriptor(int descriptor, std::uint64_t* written = nullptr);

FUGU_EXPORT std::unique_ptr<Sink> discard();

// Throws Error{mismatch} with the offset of the first byte that differs from `expected`, or when either is
// longer.
FUGU_EXPORT std::unique_ptr<Sink> compare_with(std::unique_ptr<Source> expected);

// Failures of an output, distinguished so that a message names the output and not the input.

class OutputError : public Error {
 public:
  using Error::Error;
};

// Runs `step`, turning its errors into OutputErrors.
template <class Step>
auto as_output(Step step) {
  try {
    return step();
  } catch (const OutputError&) {
    throw;
  } catch (const Error& error) {
    throw OutputError(error.code(), error.text());
  }
}

}  // namespace fugu::stream
