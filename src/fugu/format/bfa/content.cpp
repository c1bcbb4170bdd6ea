#include "fugu/format/bfa/detail/content.hpp"

#include <algorithm>
#include <utility>

#include "fugu/format/detail/digests.hpp"
#include "fugu/format/detail/filters.hpp"
#include "fugu/format/detail/message.hpp"

namespace fugu::format {
namespace {

constexpr std::string_view kContentMagic = "\x14\x11\x19\x75";
constexpr std::size_t kFixedBytes = 29;
constexpr std::size_t kCrcBytes = 4;

// Okumura's LZSS: a ring of 4096 bytes, flags read from the lowest bit, matches of 3 to 18 bytes.
class Lzss final : public Filter {
 public:
  Lzss(stream::Sink& inner, OutputLimit limit) : Filter(inner), limit_(limit) {
    std::fill_n(ring_.begin(), kStart, std::byte{' '});
  }

  void write(std::span<const std::byte> from) override {
    for (const std::byte byte : from) {
      ++in_bytes_;
      take(byte);
    }
    pass();
  }

 private:
  static constexpr std::size_t kRingBytes = 4096;
  static constexpr std::size_t kStart = 4078;
  static constexpr std::size_t kShortestMatch = 3;

  void take(std::byte byte) {
    if (flags_left_ == 0) {
      flags_ = std::to_integer<unsigned>(byte);
      flags_left_ = 8;
      return;
    }
    if (!has_low_ && (flags_ & 1U) != 0) {
      put(byte);
    } else if (!has_low_) {
      low_ = std::to_integer<std::size_t>(byte);
      has_low_ = true;
      return;
    } else {
      const auto high = std::to_integer<std::size_t>(byte);
      const std::size_t from = low_ | (high & 0xf0) << 4;
      const std::size_t bytes = (high & 0x0f) + kShortestMatch;
      for (std::size_t i = 0; i < bytes; ++i) put(ring_[(from + i) % kRingBytes]);
      has_low_ = false;
    }
    flags_ >>= 1;
    --flags_left_;
  }
  void put(std::byte byte) {
    if (held_ == out_.size()) pass();
    out_[held_++] = byte;
    ring_[at_] = byte;
    at_ = (at_ + 1) % kRingBytes;
  }
  void pass() {
    if (held_ == 0) return;
    out_bytes_ += held_;
    limit_.check(in_bytes_, out_bytes_);
    inner_.write(std::span(out_).first(std::exchange(held_, 0)));
  }

  OutputLimit limit_;
  core::WipedBytes ring_ = core::WipedBytes(kRingBytes);
  std::size_t at_ = kStart;
  unsigned flags_ = 0;
  int flags_left_ = 0;
  std::size_t low_ = 0;
  bool has_low_ = false;
  core::WipedBytes out_ = core::WipedBytes(std::size_t{64} << 10);
  std::size_t held_ = 0;  // bytes in out_
  std::uint64_t in_bytes_ = 0;
  std::uint64_t out_bytes_ = 0;
};

class Content final : public stream::Sink {
 public:
  Content(stream::Sink& inner, std::uint64_t bytes, OutputLimit limit)
      : checked_(watched(
            inner, [this](std::span<const std::byte> content) { count(content); }, [this] { check(); })),
        bytes_(bytes),
        limit_(limit) {}

  void write(std::span<const std::byte> from) override {
    const std::uint64_t before = std::exchange(taken_, taken_ + from.size());
    if (taken_ > bytes_ && taken_ - bytes_ >= core::kBlockBytes)
      throw Error(Errc::damaged, "bytes follow the end of the content: the file is damaged");
    from = from.first(
        static_cast<std::size_t>(std::min<std::uint64_t>(from.size(), bytes_ - std::min(bytes_, before))));
    from = take_header(from);
    if (!from.empty()) body_->write(from);
  }
  void finish() override {
    if (!body_ || taken_ < bytes_) throw Error(Errc::damaged, "the file ends early: it is truncated");
    body_->finish();
  }
  void cancel() noexcept override { checked_->cancel(); }

 private:
  void count(std::span<const std::byte> content) {
    content_bytes_ += content.size();
    crc_->update(content);
  }
  void check() {
    if (content_bytes_ != expected_bytes_)
      throw Error(Errc::damaged, "the content does not have the size that its header says");
    if (crc_->finish() != expected_crc_)
      throw Error(Errc::damaged, "the content's CRC-32 is wrong: it is damaged");
  }

  // Returns the bytes after the header.
  std::span<const std::byte> take_header(std::span<const std::byte> from) {
    while (!body_ && !from.empty()) {
      const std::size_t wanted = header_bytes() - header_.size();
      const std::size_t bytes = std::min(wanted, from.size());
      header_.insert(header_.end(), from.begin(), from.begin() + static_cast<std::ptrdiff_t>(bytes));
      from = from.subspan(bytes);
      if (header_.size() == header_bytes()) begin_body();
    }
    return from;
  }
  std::size_t header_bytes() const {
    if (header_.size() < kFixedBytes) return kFixedBytes;
    return kFixedBytes + 2 * static_cast<std::size_t>(load_little(std::span(header_).subspan(26, 2)));
  }
  void begin_body() {
    if (!is_bfa_content(header_)) throw Error(Errc::damaged, "the inner header is damaged");
    expected_bytes_ = load_little(std::span(header_).subspan(18, 8));
    stream::Sink& next = undo_compression(std::to_integer<unsigned>(header_[28]));
    body_ = hold_back(next, kCrcBytes, [this](std::span<const std::byte> crc) {
      expected_crc_.assign(crc.begin(), crc.end());
      return std::size_t{0};
    });
  }
  stream::Sink& undo_compression(unsigned kind) {
    if (kind == 0) return *checked_;
    if (kind == 1) {
      inflated_ = std::make_unique<Lzss>(*checked_, limit_);
    } else if (kind == 2 || kind == 3) {
      inflated_ = inflater(kind == 2 ? Compression::zlib : Compression::bzip2, *checked_, limit_);
    } else {
      throw Error(Errc::unknown_format, "an unknown compression: open it with Blowfish Advanced CS");
    }
    return *inflated_;
  }

  std::unique_ptr<Checksum> crc_ = make_checksum("crc32b");
  std::uint64_t content_bytes_ = 0;
  std::uint64_t expected_bytes_ = 0;
  std::vector<std::byte> expected_crc_;
  std::unique_ptr<stream::Sink> checked_;
  std::uint64_t bytes_;
  OutputLimit limit_;
  std::uint64_t taken_ = 0;
  core::WipedBytes header_;
  std::unique_ptr<stream::Sink> inflated_;
  std::unique_ptr<stream::Sink> body_;  // once the header is complete
};

}  // namespace

bool is_bfa_content(std::span<const std::byte> beginning) {
  return starts_with(beginning, kContentMagic);
}

std::unique_ptr<stream::Sink> bfa_content(stream::Sink& inner, std::uint64_t bytes, OutputLimit limit) {
  return std::make_unique<Content>(inner, bytes, limit);
}

}  // namespace fugu::format
