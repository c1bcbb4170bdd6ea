// Sinks between a decryption and the destination of its plaintext. Private to format.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "fugu/stream/sink.hpp"

namespace fugu::format {

// A sink in front of another, which outlives it and is finished with it.
class Filter : public stream::Sink {
 public:
  explicit Filter(stream::Sink& inner) : inner_(inner) {}
  void finish() override { inner_.finish(); }
  void cancel() noexcept override { inner_.cancel(); }

 protected:
  stream::Sink& inner_;
};

// Skips `skipped` bytes, passes on the next `bytes` and drops the rest. Each `inner` here is as in Filter.
std::unique_ptr<stream::Sink> excerpt_of(stream::Sink& inner, std::uint64_t skipped, std::uint64_t bytes);

// Returns how many bytes of a tail belong to the data. May throw Error{damaged} or Error{wrong_key}.
using JudgeTail = std::function<std::size_t(std::span<const std::byte> tail)>;

// Passes everything on except the last `bytes` (or all, if there are fewer), which are held until finish()
// and then passed on as far as `judge` says.
std::unique_ptr<stream::Sink> hold_back(stream::Sink& inner, std::size_t bytes, JudgeTail judge);

// Holds up to `bytes` until finish(), and passes everything on once there are more: a short output does not
// begin before a check at its end.
std::unique_ptr<stream::Sink> delayed(stream::Sink& inner, std::size_t bytes);

// Passes everything on, and to `see`. `end` is called before `inner` is finished, and may throw.
std::unique_ptr<stream::Sink> watched(stream::Sink& inner,
                                      std::function<void(std::span<const std::byte>)> see,
                                      std::function<void()> end = {});

}  // namespace fugu::format
