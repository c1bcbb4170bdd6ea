// Sources and sinks of memory, over others, and of nothing.
#include "fugu/stream/source.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "fugu/core/wipe.hpp"
#include "fugu/stream/memory.hpp"
#include "fugu/stream/tree.hpp"

namespace fugu::stream {
namespace {

class Borrowed : public Source {
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

class Prepended final : public Borrowed {
 public:
  Prepended(std::span<const std::byte> head, std::unique_ptr<Source> rest)
      : Borrowed(*rest), head_(head.begin(), head.end()), rest_(std::move(rest)) {}

  std::size_t read(std::span<std::byte> into) override {
    const std::size_t from_head = std::min(into.size(), head_.size() - given_);
    std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(given_), from_head, into.begin());
    given_ += from_head;
    const std::span<std::byte> left = into.subspan(from_head);
    return from_head + (left.empty() ? 0 : rest_->read(left));
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

 private:
  std::vector<std::byte> head_;
  std::size_t given_ = 0;
  std::unique_ptr<Source> rest_;
};

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

std::unique_ptr<Source> prepend(std::span<const std::byte> head, std::unique_ptr<Source> rest) {
  return std::make_unique<Prepended>(head, std::move(rest));
}

std::unique_ptr<Source> borrow(Source& source) {
  return std::make_unique<Borrowed>(source);
}

std::unique_ptr<Sink> discard() {
  return std::make_unique<Discard>();
}

std::unique_ptr<Sink> compare_with(std::unique_ptr<Source> expected) {
  return std::make_unique<Compare>(std::move(expected));
}

std::size_t MemorySource::read(std::span<std::byte> into) {
  const std::size_t bytes = std::min(into.size(), bytes_.size() - at_);
  std::ranges::copy(bytes_.subspan(at_, bytes), into.begin());
  at_ += bytes;
  return bytes;
}

bool MemorySource::read_at(std::span<std::byte> into, std::uint64_t offset) {
  if (offset > bytes_.size() || into.size() > bytes_.size() - offset) return false;
  std::ranges::copy(bytes_.subspan(static_cast<std::size_t>(offset), into.size()), into.begin());
  return true;
}

void MemorySource::advance(std::uint64_t bytes) {
  at_ += static_cast<std::size_t>(std::min<std::uint64_t>(bytes, bytes_.size() - at_));
}

MemorySink::~MemorySink() {
  core::wipe(bytes_.data(), bytes_.size());
}

void MemorySink::reserve(std::size_t bytes) {
  if (bytes <= bytes_.capacity()) return;
  std::vector<std::byte> larger;
  larger.reserve(bytes);
  larger.assign(bytes_.begin(), bytes_.end());
  std::swap(bytes_, larger);
  core::wipe(larger.data(), larger.size());
}

void MemorySink::write(std::span<const std::byte> from) {
  if (from.size() > bytes_.capacity() - bytes_.size())
    reserve(std::max(bytes_.size() + from.size(), 2 * bytes_.capacity()));
  bytes_.insert(bytes_.end(), from.begin(), from.end());
}

std::vector<std::byte> MemorySink::take() noexcept {
  return std::exchange(bytes_, {});
}

std::string text_of(const TreePath& path) {
  std::string text;
  for (const std::string& name : path) text += (text.empty() ? "" : "/") + name;
  return text;
}

bool is_tree_name(std::string_view name) noexcept {
  constexpr std::string_view kForbidden("/\0", 2);
  return !name.empty() && name != "." && name != ".." && name.find_first_of(kForbidden) == name.npos;
}

bool stays_inside(const TreePath& link, std::string_view target) {
  if (target.empty() || target.front() == '/' || target.find('\0') != target.npos) return false;
  std::size_t above = link.size() - 1;  // directories between the link and the top
  bool was_name = false;
  while (!target.empty()) {
    const std::string_view name = target.substr(0, target.find('/'));
    target.remove_prefix(std::min(target.size(), name.size() + 1));
    if (name.empty() || name == ".") continue;
    if (name != "..") {
      was_name = true;
    } else if (was_name || above-- == 0) {
      return false;
    }
  }
  return true;
}

bool lies_inside(const std::string& path, const std::string& directory) {
  const auto canonical = [&](const std::string& name) {
    std::error_code failure;
    const std::filesystem::path whole = std::filesystem::weakly_canonical(name, failure);
    if (failure) throw system_error("cannot open", failure.value());
    return whole.has_filename() ? whole : whole.parent_path();  // "a/" is "a"
  };
  const std::filesystem::path inner = canonical(path);
  const std::filesystem::path outer = canonical(directory);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

}  // namespace fugu::stream
