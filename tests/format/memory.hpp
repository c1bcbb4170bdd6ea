// Jobs over memory, for tests of formats.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "fugu/engine/registry.hpp"
#include "fugu/error.hpp"
#include "fugu/format/job.hpp"
#include "support/pattern.hpp"

namespace fugu::format::testing {

using test::Bytes;

enum class Seekable { yes, no };  // a file, or a pipe

class MemorySource final : public stream::Source {
 public:
  MemorySource(Bytes bytes, Seekable seekable) : bytes_(std::move(bytes)), seekable_(seekable) {}

  std::size_t read(std::span<std::byte> into) override {
    const std::size_t count = std::min(into.size(), bytes_.size() - at_);
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), count, into.begin());
    at_ += count;
    return count;
  }
  std::optional<std::uint64_t> size_bytes() const override {
    return seekable_ == Seekable::yes ? std::optional<std::uint64_t>(bytes_.size()) : std::nullopt;
  }
  bool peek_tail(std::span<std::byte> into) override {
    if (seekable_ == Seekable::no || bytes_.size() < into.size()) return false;
    std::copy(bytes_.end() - static_cast<std::ptrdiff_t>(into.size()), bytes_.end(), into.begin());
    return true;
  }

 private:
  Bytes bytes_;
  Seekable seekable_;
  std::size_t at_ = 0;
};

class MemorySink final : public stream::Sink {
 public:
  void write(std::span<const std::byte> from) override {
    bytes.insert(bytes.end(), from.begin(), from.end());
  }
  void finish() override { ++finished; }

  Bytes bytes;
  int finished = 0;
};

inline engine::Engine& scalar_engine() {
  static const auto engine = engine::make("cpu/scalar", {1, {}});
  return *engine;
}

inline Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// Runs `work` on a job over `input` and returns its output.
inline Bytes run_job(const Bytes& input, const std::function<void(const Job&)>& work,
                     Seekable seekable = Seekable::yes, std::size_t chunk_bytes = 0) {
  MemorySource source(input, seekable);
  MemorySink sink;
  work(Job{scalar_engine(), source, sink, chunk_bytes, nullptr, {}});
  if (sink.finished != 1) throw std::logic_error("the sink was not finished once");
  return std::move(sink.bytes);
}

inline std::optional<Error> error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

}  // namespace fugu::format::testing
