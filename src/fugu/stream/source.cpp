// Sources over other sources.
#include "fugu/stream/source.hpp"

#include <algorithm>
#include <vector>

namespace fugu::stream {
namespace {

class Prepended final : public Source {
 public:
  Prepended(std::span<const std::byte> head, std::unique_ptr<Source> rest)
      : head_(head.begin(), head.end()), rest_(std::move(rest)) {}

  std::size_t read(std::span<std::byte> into) override {
    const std::size_t from_head = std::min(into.size(), head_.size() - given_);
    std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(given_), from_head, into.begin());
    given_ += from_head;
    const std::span<std::byte> left = into.subspan(from_head);
    return from_head + (left.empty() ? 0 : rest_->read(left));
  }

  std::optional<std::uint64_t> size_bytes() const override { return rest_->size_bytes(); }
  bool read_at(std::span<std::byte> into, std::uint64_t offset) override {
    return rest_->read_at(into, offset);
  }
  std::optional<std::uint64_t> offset() override {
    const std::optional<std::uint64_t> after_head = rest_->offset();
    if (!after_head) return std::nullopt;
    return *after_head - (head_.size() - given_);
  }
  void advance(std::uint64_t bytes) override {
    const std::uint64_t from_head = std::min<std::uint64_t>(bytes, head_.size() - given_);
    given_ += static_cast<std::size_t>(from_head);
    if (bytes != from_head) rest_->advance(bytes - from_head);
  }
  std::optional<FileId> file_id() const override { return rest_->file_id(); }
  std::unique_ptr<Source> companion(std::string_view extension) const override {
    return rest_->companion(extension);
  }
  void cancel() noexcept override { rest_->cancel(); }

 private:
  std::vector<std::byte> head_;
  std::size_t given_ = 0;
  std::unique_ptr<Source> rest_;
};

class Borrowed final : public Source {
 public:
  explicit Borrowed(Source& source) : source_(source) {}

  std::size_t read(std::span<std::byte> into) override { return source_.read(into); }
  std::optional<std::uint64_t> size_bytes() const override { return source_.size_bytes(); }
  bool read_at(std::span<std::byte> into, std::uint64_t offset) override {
    return source_.read_at(into, offset);
  }
  std::optional<std::uint64_t> offset() override { return source_.offset(); }
  void advance(std::uint64_t bytes) override { source_.advance(bytes); }
  std::optional<FileId> file_id() const override { return source_.file_id(); }
  std::optional<FileAttributes> attributes() const override { return source_.attributes(); }
  std::unique_ptr<Source> companion(std::string_view extension) const override {
    return source_.companion(extension);
  }
  void cancel() noexcept override { source_.cancel(); }

 private:
  Source& source_;
};

}  // namespace

std::unique_ptr<Source> prepend(std::span<const std::byte> head, std::unique_ptr<Source> rest) {
  return std::make_unique<Prepended>(head, std::move(rest));
}

std::unique_ptr<Source> borrow(Source& source) {
  return std::make_unique<Borrowed>(source);
}

}  // namespace fugu::stream
