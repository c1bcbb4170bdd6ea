// The containers of Blowfish Advanced CS and of BFA97.
//
//   24 08 19 92 | header size 35, u16 | version, u16 | plaintext bytes, u64 | iv size 8, u16 | block size 8,
//   u16 | salt 11 | key check, u32 | iv 8 | CBC ciphertext
//
// All little-endian, the cipher's words too. The plaintext is a header with the file's name, size and
// compression, then the content, then its CRC-32. The key check proves the passphrase with 32 bits; the inner
// header's magic proves that the cipher, which is not stored, is Blowfish.
#include "fugu/format/bfa/detail/content.hpp"

#include "fugu/auth/digest.hpp"
#include "fugu/format/detail/codecs.hpp"
#include "fugu/format/detail/digests.hpp"
#include "fugu/format/detail/filters.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/salvage.hpp"

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
      : checked_(
            inner, [this](std::span<const std::byte> content) { count(content); }, [this] { check(); }),
        bytes_(bytes),
        limit_(limit) {}

  void write(std::span<const std::byte> from) override {
    const std::uint64_t before = std::exchange(taken_, taken_ + from.size());
    if (taken_ > bytes_ && taken_ - bytes_ >= core::kBlockBytes)
      throw Error(Errc::damaged, "bytes follow the end of the content: the file is damaged");
    from = take_header(first_of(from, bytes_ - std::min(bytes_, before)));
    if (!from.empty()) body_->write(from);
  }
  void finish() override {
    if (!body_ || taken_ < bytes_) throw Error(Errc::damaged, "the file ends early: it is truncated");
    body_->finish();
  }
  void cancel() noexcept override { checked_.cancel(); }

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
      const auto part = first_of(from, header_bytes() - header_.size());
      append(header_, part);
      from = from.subspan(part.size());
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
    body_ = std::make_unique<HoldBack>(next, kCrcBytes, [this](std::span<const std::byte> crc) {
      expected_crc_.assign(crc.begin(), crc.end());
      return std::size_t{0};
    });
  }
  stream::Sink& undo_compression(unsigned kind) {
    if (kind == 0) return checked_;
    if (kind == 1) {
      inflated_ = std::make_unique<Lzss>(checked_, limit_);
    } else if (kind == 2 || kind == 3) {
      inflated_ = inflater(kind == 2 ? Compression::zlib : Compression::bzip2, checked_, limit_);
    } else {
      throw Error(Errc::unknown_format, "an unknown compression: open it with Blowfish Advanced CS");
    }
    return *inflated_;
  }

  std::unique_ptr<Checksum> crc_ = make_checksum("crc32b");
  std::uint64_t content_bytes_ = 0;
  std::uint64_t expected_bytes_ = 0;
  std::vector<std::byte> expected_crc_;
  Watched checked_;
  std::uint64_t bytes_;
  OutputLimit limit_;
  std::uint64_t taken_ = 0;
  core::WipedBytes header_;
  std::unique_ptr<stream::Sink> inflated_;
  std::unique_ptr<stream::Sink> body_;  // once the header is complete
};

constexpr std::string_view kMagic = "\x24\x08\x19\x92";
constexpr std::size_t kHeaderBytes = 35;
constexpr std::size_t kSaltBytes = 11;
constexpr std::size_t kKeyBytes = 56;
constexpr std::byte kMajorVersion{1};

constexpr std::array kOptions{kMaxOutputRow};

struct Header {
  std::uint64_t plaintext_bytes = 0;
  std::vector<std::byte> salt;
  std::uint64_t key_check = 0;
  mode::Iv iv;
};

Header read_header(Lookahead& source) {
  const std::vector<std::byte> bytes = source.take(kHeaderBytes, "its header");
  const std::span<const std::byte> header = bytes;
  if (!starts_with(header, kMagic)) throw Error(Errc::unknown_format, "not a Blowfish Advanced CS file");
  const bool known = load_little(header.subspan(4, 2)) == kHeaderBytes && header[7] == kMajorVersion &&
                     load_little(header.subspan(16, 2)) == kBlockBytes &&
                     load_little(header.subspan(18, 2)) == kBlockBytes;
  if (!known)
    throw Error(Errc::unknown_format,
                "a Blowfish Advanced CS file of another version, or with a cipher of another block size: "
                "open it with Blowfish Advanced CS");
  Header read;
  read.plaintext_bytes = load_little(header.subspan(8, 8));
  read.salt.assign(bytes.begin() + 20, bytes.begin() + 20 + kSaltBytes);
  read.key_check = load_little(header.subspan(31, 4));
  read.iv = iv_of(source.take(kBlockBytes, "its header"));
  return read;
}

// 60 bytes of the chain, the last four of which are added to the first.
auth::SecretBytes derive_key(const Header& header, const auth::SecretBytes& passphrase) {
  constexpr std::size_t kChainBytes = 60;
  const auth::SecretBytes chain = sha1_chain(passphrase, header.salt, kChainBytes);
  auth::SecretBytes key(chain.span().first(kKeyBytes));
  for (std::size_t i = kKeyBytes; i < kChainBytes; ++i) key.data()[i - kKeyBytes] ^= chain.span()[i];
  return key;
}

bool fits(const Header& header, const auth::SecretBytes& passphrase) {
  const auth::SecretBytes md5 = auth::digest("md5", {header.salt, passphrase.span()});
  std::uint64_t check = 0;
  for (std::size_t at = 0; at < md5.size(); at += 4) check ^= load_little(md5.span().subspan(at, 4));
  return check == header.key_check;
}

mode::Settings settings_of(const Header& header) {
  return {.padding = mode::Padding::none, .iv = header.iv, .words = core::ByteOrder::little};
}

// The cipher is not stored: a right passphrase with a wrong beginning means another cipher. A right beginning
// proves the passphrase as its check does.
void check_beginning(const Job& job, Lookahead& source, const Header& header,
                     const auth::SecretBytes& passphrase, const cipher::Schedule& schedule) {
  const auto seen = source.peek(kBlockBytes);
  if (seen.size() < kBlockBytes) throw Error(Errc::damaged, "the file ends inside its first block");
  std::vector<std::byte> block(seen.begin(), seen.end());
  transform(job.engine, schedule, settings_of(header), Direction::decrypt, block);
  const bool is_checked = fits(header, passphrase);
  if (is_bfa_content(block))
    return static_cast<void>(holds(job, is_checked, "the check of the passphrase in the header is damaged"));
  if (!is_checked) throw Error(Errc::wrong_key, "wrong passphrase, or a damaged header");
  throw Error(Errc::unknown_format,
              "the passphrase is right, but its first block is damaged or the cipher is not Blowfish "
              "(Blowfish Advanced CS has others, such as CAST and 3DES): open it with Blowfish Advanced CS");
}

bool is_bfa(std::span<const std::byte> head) {
  return starts_with(head, kMagic) && head.size() > 7 && head[7] == kMajorVersion;
}

Opened open_bfa(const Job& job, const OpenRequest& request) {
  Lookahead source(job.source);
  const Header header = read_header(source);
  count_read(job, static_cast<std::size_t>(source.position()));
  const auth::SecretBytes& passphrase = request.secret(SecretKind::passphrase);
  const cipher::Schedule schedule = schedule_of(derive_key(header, passphrase).span());
  check_beginning(job, source, header, passphrase, schedule);

  const auto content = bfa_content(job.sink, header.plaintext_bytes, OutputLimit(request.options));
  const auto sink = up_to_damage(job, *content);
  run_cipher(with_sink(with_source(job, source), *sink), schedule, settings_of(header), Direction::decrypt);
  Opened opened = proved("Blowfish Advanced CS");
  opened.checked = true;  // a CRC-32
  return opened;
}

Description describe_bfa(stream::Source& input, const OptionValues&) {
  Lookahead source(input);
  Description description{.title = "Blowfish Advanced CS"};
  description.add_number("plaintext_bytes", "plaintext", read_header(source).plaintext_bytes,
                         " bytes with its header");
  return description;
}

}  // namespace

bool is_bfa_content(std::span<const std::byte> beginning) {
  return starts_with(beginning, kContentMagic);
}

std::unique_ptr<stream::Sink> bfa_content(stream::Sink& inner, std::uint64_t bytes, OutputLimit limit) {
  return std::make_unique<Content>(inner, bytes, limit);
}

const Codec kBfaCodec{
    .name = "bfa",
    .extensions = kExtensions<".bfa">,
    .summary = "Blowfish Advanced CS and BFA97 (.bfa)",
    .made_by = "Blowfish Advanced CS 2.x, Blowfish Advanced 97",
    .wrong_secret = "a check of 32 bits in the header",
    .options = kOptions,
    .recognise = recognise_if<is_bfa>,
    .open = open_bfa,
    .describe = describe_bfa,
};

}  // namespace fugu::format
