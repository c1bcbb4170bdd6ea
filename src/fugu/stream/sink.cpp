#include "fugu/stream/sink.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "fugu/core/wipe.hpp"

namespace fugu::stream {
namespace {

class Discard final : public Sink {
 public:
  void write(std::span<const std::byte>) override {}
  bool begin_parts(std::uint64_t) override { return true; }
  std::unique_ptr<Sink> part(std::uint64_t) override { return discard(); }
};

class Compare final : public Sink {
 public:
  explicit Compare(std::unique_ptr<Source> expected)
      : expected_(std::move(expected)), buffer_(std::size_t{256} * 1024) {}

  ~Compare() override { core::wipe(buffer_.data(), buffer_.size()); }

  void write(std::span<const std::byte> from) override {
    while (!from.empty()) {
      const std::size_t step = std::min(from.size(), buffer_.size());
      compare(from.first(step));
      from = from.subspan(step);
    }
  }

  void finish() override {
    std::array<std::byte, 1> more{};
    if (expected_->read(more) != 0) fail("ends early");
  }

  void cancel() noexcept override { expected_->cancel(); }

 private:
  void compare(std::span<const std::byte> from) {
    const std::size_t got = expected_->read(std::span(buffer_).first(from.size()));
    const auto differs =
        std::mismatch(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(got), from.begin());
    offset_ += static_cast<std::uint64_t>(differs.first - buffer_.begin());
    if (differs.first != buffer_.begin() + static_cast<std::ptrdiff_t>(got)) fail("its plaintext differs");
    if (got < from.size()) fail("goes on past the expected end");
  }

  [[noreturn]] void fail(const char* how) const {
    throw Error(Errc::mismatch, std::string(how) + " at byte " + std::to_string(offset_));
  }

  std::unique_ptr<Source> expected_;
  std::vector<std::byte> buffer_;  // plaintext: wiped
  std::uint64_t offset_ = 0;
};

}  // namespace

std::unique_ptr<Sink> discard() {
  return std::make_unique<Discard>();
}

std::unique_ptr<Sink> compare_with(std::unique_ptr<Source> expected) {
  return std::make_unique<Compare>(std::move(expected));
}

}  // namespace fugu::stream
