// Sinks between a decryption and the destination of its plaintext. Private to format.
#pragma once

#include <algorithm>
#include <functional>

#include "fugu/core/wipe.hpp"
#include "fugu/stream/sink.hpp"

namespace fugu::format {

// A sink in front of another, which outlives it and is finished with it.
class Filter : public stream::Sink {
 public:
  explicit Filter(stream::Sink& inner) : inner_(inner) {}
  void finish() override { inner_.finish(); }
  void cancel() noexcept override { inner_.cancel(); }

 protected:
  void pass(std::span<const std::byte> bytes) {
    if (!bytes.empty()) inner_.write(bytes);
  }

  stream::Sink& inner_;
};

// Skips `skipped` bytes, passes on the next `bytes` and drops the rest.
class Excerpt final : public Filter {
 public:
  Excerpt(stream::Sink& inner, std::uint64_t skipped, std::uint64_t bytes)
      : Filter(inner), skip_(skipped), left_(bytes) {}

  void write(std::span<const std::byte> from) override {
    const auto skipped = static_cast<std::size_t>(std::min<std::uint64_t>(from.size(), skip_));
    from = from.subspan(skipped);
    skip_ -= skipped;
    const auto part = from.first(static_cast<std::size_t>(std::min<std::uint64_t>(from.size(), left_)));
    pass(part);
    left_ -= part.size();
  }

 private:
  std::uint64_t skip_;
  std::uint64_t left_;
};

// Returns how many bytes of a tail belong to the data. May throw Error{damaged} or Error{wrong_key}.
using JudgeTail = std::function<std::size_t(std::span<const std::byte> tail)>;

// Passes everything on except the last `bytes` (or all, if there are fewer), which are held until finish()
// and then passed on as far as `judge` says.
class HoldBack final : public Filter {
 public:
  HoldBack(stream::Sink& inner, std::size_t bytes, JudgeTail judge)
      : Filter(inner), bytes_(bytes), judge_(std::move(judge)) {
    tail_.reserve(2 * bytes);
  }

  void write(std::span<const std::byte> from) override {
    const std::size_t known = tail_.size() + from.size();
    std::size_t passed = known > bytes_ ? known - bytes_ : 0;
    const std::size_t of_tail = std::min(passed, tail_.size());
    pass(std::span(tail_).first(of_tail));
    std::ranges::move(std::span(tail_).subspan(of_tail), tail_.begin());
    tail_.resize(tail_.size() - of_tail);
    passed -= of_tail;
    pass(from.first(passed));
    tail_.insert(tail_.end(), from.begin() + static_cast<std::ptrdiff_t>(passed), from.end());
  }
  void finish() override {
    pass(std::span(tail_).first(judge_(tail_)));
    inner_.finish();
  }

 private:
  std::size_t bytes_;
  JudgeTail judge_;
  core::WipedBytes tail_;
};

// Holds up to `bytes` until finish(), and passes everything on once there are more: a short output does not
// begin before a check at its end.
class Delayed final : public Filter {
 public:
  Delayed(stream::Sink& inner, std::size_t bytes) : Filter(inner) { kept_.reserve(bytes); }

  void write(std::span<const std::byte> from) override {
    if (!passing_ && from.size() <= kept_.capacity() - kept_.size()) {
      kept_.insert(kept_.end(), from.begin(), from.end());
      return;
    }
    release();
    inner_.write(from);
  }
  void finish() override {
    release();
    inner_.finish();
  }

 private:
  void release() {
    if (!passing_) pass(kept_);
    passing_ = true;
  }

  core::WipedBytes kept_;
  bool passing_ = false;
};

// Passes everything on, and to `see`. `end` is called before `inner` is finished, and may throw.
class Watched final : public Filter {
 public:
  Watched(stream::Sink& inner, std::function<void(std::span<const std::byte>)> see,
          std::function<void()> end = {})
      : Filter(inner), see_(std::move(see)), end_(std::move(end)) {}

  void write(std::span<const std::byte> from) override {
    see_(from);
    inner_.write(from);
  }
  void finish() override {
    if (end_) end_();
    inner_.finish();
  }

 private:
  std::function<void(std::span<const std::byte>)> see_;
  std::function<void()> end_;
};

}  // namespace fugu::format
