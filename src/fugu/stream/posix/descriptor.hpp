// The system calls of this layer, with the handling that every caller needs: interrupted calls are repeated,
// short ones continued, non-blocking descriptors waited for, and everything else is an Error{io}. Private to
// stream.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

#include "fugu/export.hpp"

namespace fugu::stream {

// Owns a file descriptor.
class FUGU_EXPORT Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();

  int get() const noexcept { return number_; }
  explicit operator bool() const noexcept { return number_ >= 0; }

  // Gives it up to another owner.
  int release() noexcept { return std::exchange(number_, -1); }

  // Closes now and reports errors that only closing reveals (a write that failed late on a network file
  // system).
  void close_checked();

 private:
  int number_ = -1;
};

// Repeats `call` while a signal interrupts it; returns its result.
template <class Call>
auto retry_interrupted(Call call) {
  decltype(call()) result;
  do {
    result = call();
  } while (result < 0 && errno == EINTR);
  return result;
}

// Waits until poll(2) reports `events` or a fault on `descriptor`. Throws Error{interrupted} when `cancel`, a
// descriptor or -1, is readable first.
FUGU_EXPORT void wait_for(int descriptor, short events, int cancel = -1);

// Reads once; returns 0 at the end of the input.
FUGU_EXPORT std::size_t read_some(int descriptor, std::span<std::byte> into);

// Writes all of `from`. A broken pipe is an Error like any other: SIGPIPE does not reach the process.
// `written`, if not null, grows by the bytes written, even when the rest fails.
FUGU_EXPORT void write_all(int descriptor, std::span<const std::byte> from, std::uint64_t* written = nullptr);

// The final name of an output named `path`, through symbolic links, whether or not the file exists. Throws
// Error{io} for a cycle of links.
FUGU_EXPORT std::filesystem::path output_target(std::filesystem::path path);

}  // namespace fugu::stream
