#include "fugu/stream/sink.hpp"

#include <fcntl.h>
#include <string.h>  // explicit_bzero

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <vector>

#include "fugu/error.hpp"
#include "fugu/stream/descriptor.hpp"

namespace fugu::stream {
namespace {

class DescriptorSink final : public Sink {
 public:
  DescriptorSink(int descriptor, std::uint64_t* written) : descriptor_(descriptor), written_(written) {}

  void write(std::span<const std::byte> from) override { write_all(descriptor_, from, written_); }

  // A network file system reports a failed write when a descriptor of the file is closed: close a copy.
  void finish() override {
    Descriptor copy(::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0));
    if (!copy) throw system_error("write failed", errno);
    copy.close_checked();
  }

 private:
  int descriptor_;
  std::uint64_t* written_;
};

class Discard final : public Sink {
 public:
  void write(std::span<const std::byte>) override {}
  bool has_parts() const override { return true; }
  std::unique_ptr<Sink> part(std::uint64_t) override { return discard(); }
};

class Compare final : public Sink {
 public:
  explicit Compare(std::unique_ptr<Source> expected)
      : expected_(std::move(expected)), buffer_(std::size_t{256} * 1024) {}

  ~Compare() override { ::explicit_bzero(buffer_.data(), buffer_.size()); }

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
    if (differs.first != buffer_.begin() + static_cast<std::ptrdiff_t>(got)) fail("differs");
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

std::unique_ptr<Sink> to_descriptor(int descriptor, std::uint64_t* written) {
  return std::make_unique<DescriptorSink>(descriptor, written);
}

std::unique_ptr<Sink> discard() {
  return std::make_unique<Discard>();
}

std::unique_ptr<Sink> compare_with(std::unique_ptr<Source> expected) {
  return std::make_unique<Compare>(std::move(expected));
}

}  // namespace fugu::stream
