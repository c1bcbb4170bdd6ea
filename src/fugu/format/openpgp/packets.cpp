#include "fugu/format/openpgp/detail/packets.hpp"

#include <array>

#include "fugu/format/detail/message.hpp"
#include "fugu/format/salvage.hpp"

namespace fugu::format {
namespace {

constexpr const char* kEndsInsidePacket = "the message ends inside a packet: it is truncated";

[[noreturn]] void ends_early() {
  throw Error(Errc::damaged, kEndsInsidePacket);
}

// Tag byte 10tttt ll: a length of 1, 2 or 4 bytes, or indeterminate.
std::optional<PacketHeader> parse_old_header(std::span<const std::byte> bytes, std::size_t& used) {
  const auto first = std::to_integer<unsigned>(bytes[0]);
  PacketHeader header;
  header.tag = static_cast<PacketTag>(first >> 2 & 0x0f);
  if ((first & 3U) == 3) {
    header.length.to_the_end = true;
    used = 1;
    return header;
  }
  const std::size_t length_bytes = std::size_t{1} << (first & 3U);
  if (bytes.size() < 1 + length_bytes) return std::nullopt;
  header.length.bytes = load_big(bytes.subspan(1, length_bytes));
  used = 1 + length_bytes;
  return header;
}

constexpr std::size_t kMaxDepth = 8;

// Converts line ends from CR LF to LF.
class UnixLines final : public stream::Sink {
 public:
  explicit UnixLines(stream::Sink& inner) : inner_(inner) {}

  void write(std::span<const std::byte> from) override {
    while (!from.empty()) {
      if (held_return_) put_return(from.front());
      const auto at = std::ranges::find(from, std::byte{'\r'});
      const auto before = from.first(static_cast<std::size_t>(at - from.begin()));
      if (!before.empty()) inner_.write(before);
      held_return_ = at != from.end();
      from = from.subspan(before.size() + (held_return_ ? 1 : 0));
    }
  }
  void finish() override {
    if (held_return_) put_return({});
    held_return_ = false;
  }

 private:
  void put_return(std::byte next) {
    constexpr std::byte kReturn{'\r'};
    if (next != std::byte{'\n'}) inner_.write({&kReturn, 1});
  }

  stream::Sink& inner_;
  bool held_return_ = false;
};

struct Context {
  stream::Sink& inner;
  OutputLimit limit;
  bool& is_signed;
  SalvageReport* salvage;
  bool has_literal = false;
  std::uint64_t read_bytes = 0;                               // bytes of the message
  std::uint64_t literal_bytes = 0;                            // bytes of the file in it
  std::array<std::uint64_t, kMaxDepth + 1> inflated_bytes{};  // at each depth, including what is ignored
};

// A body that begins with its own header, whose size `header_bytes` derives from the bytes so far.
class Body : public stream::Sink {
 public:
  void write(std::span<const std::byte> from) final {
    while (!from.empty() && header_.size() < header_bytes(header_)) {
      header_.push_back(from.front());
      from = from.subspan(1);
      if (header_.size() == header_bytes(header_)) begin(header_);
    }
    if (!from.empty()) content(from);
  }
  void finish() final {
    if (header_.size() < header_bytes(header_)) ends_early();
    end();
  }

 protected:
  virtual std::size_t header_bytes(std::span<const std::byte> header) const = 0;
  virtual void begin(std::span<const std::byte> header) = 0;
  virtual void content(std::span<const std::byte> from) = 0;
  virtual void end() = 0;

 private:
  core::WipedBytes header_;  // for literal data it has the file's name
};

// type | size of name, name | date 4 | data
class Literal final : public Body {
 public:
  explicit Literal(Context& context) : context_(context), lines_(context.inner) {
    if (context.has_literal) throw Error(Errc::damaged, "there is more than one file in the message");
    context.has_literal = true;
  }

 private:
  std::size_t header_bytes(std::span<const std::byte> header) const override {
    return header.size() < 2 ? 2 : 2 + std::to_integer<std::size_t>(header[1]) + 4;
  }
  void begin(std::span<const std::byte> header) override {
    is_text_ = header[0] == std::byte{'t'} || header[0] == std::byte{'u'};
  }
  // Each of several nested compressed packets may stay within the limit while the file exceeds it by far.
  void content(std::span<const std::byte> from) override {
    context_.literal_bytes += from.size();
    context_.limit.check(context_.read_bytes, context_.literal_bytes);
    is_text_ ? lines_.write(from) : context_.inner.write(from);
  }
  void end() override { lines_.finish(); }

  Context& context_;
  UnixLines lines_;
  bool is_text_ = false;
};

// Packets one after the other.
class Packets final : public stream::Sink {
 public:
  Packets(Context& context, std::size_t depth) : context_(context), depth_(depth) {
    if (depth > kMaxDepth) throw Error(Errc::damaged, "its compressed packets are nested too deeply");
  }

  void write(std::span<const std::byte> from) override {
    std::uint64_t& inflated = context_.inflated_bytes[depth_];
    if (depth_ != 0) context_.limit.check(context_.read_bytes, inflated += from.size());
    while (!from.empty()) {
      if (in_part_) {
        from = take_body(from);
      } else {
        held_.push_back(from.front());
        from = from.subspan(1);
        take_header();
      }
    }
  }
  void finish() override {
    if (body_ && length_.to_the_end) end_body();
    if (body_ || !held_.empty()) ends_early();
  }

 private:
  std::span<const std::byte> take_body(std::span<const std::byte> from) {
    const auto part = length_.to_the_end ? from : first_of(from, length_.bytes);
    or_pass_over([&] { body_->write(part); });
    if (!length_.to_the_end) length_.bytes -= part.size();
    end_of_part();
    return from.subspan(part.size());
  }
  // A header, or after a part the length of the next.
  void take_header() {
    std::size_t used = 0;
    if (body_) {
      const std::optional<PacketLength> length = parse_packet_length(held_, used);
      if (!length) return;
      length_ = *length;
    } else {
      const std::optional<PacketHeader> header = parse_packet_header(held_, used);
      if (!header) return;
      length_ = header->length;
      or_pass_over([&] { body_ = body_of(header->tag); });
    }
    held_.clear();
    in_part_ = true;
    end_of_part();
  }
  void end_of_part() {
    if (length_.to_the_end || length_.bytes != 0) return;
    in_part_ = false;
    if (!length_.partial) end_body();
  }
  void end_body() {
    or_pass_over([&] { body_->finish(); });
    body_.reset();
    in_part_ = false;
  }
  // The rest of a damaged packet goes nowhere.
  template <class Step>
  void or_pass_over(Step step) {
    try {
      step();
    } catch (const Error& error) {
      if (context_.salvage == nullptr || error.code() != Errc::damaged) throw;
      note_damage(*context_.salvage, error.text());
      body_ = stream::discard();
    }
  }
  std::unique_ptr<stream::Sink> body_of(PacketTag tag);

  Context& context_;
  std::size_t depth_;
  core::WipedBytes held_;               // bytes of a header
  std::unique_ptr<stream::Sink> body_;  // takes the packet being read
  PacketLength length_;                 // the rest of its part
  bool in_part_ = false;
};

// algorithm | compressed packets
class Compressed final : public Body {
 public:
  Compressed(Context& context, std::size_t depth) : context_(context), packets_(context, depth) {}

 private:
  std::size_t header_bytes(std::span<const std::byte>) const override { return 1; }
  void begin(std::span<const std::byte> header) override {
    const auto algorithm = std::to_integer<unsigned>(header[0]);
    constexpr Compression kKinds[] = {Compression::deflate, Compression::zlib, Compression::bzip2};
    if (algorithm > std::size(kKinds)) throw Error(Errc::damaged, "a compression that OpenPGP does not have");
    if (algorithm != 0) inflater_ = inflater(kKinds[algorithm - 1], packets_, context_.limit);
  }
  void content(std::span<const std::byte> from) override { next().write(from); }
  void end() override { next().finish(); }

  stream::Sink& next() { return inflater_ ? *inflater_ : packets_; }

  Context& context_;
  Packets packets_;
  std::unique_ptr<stream::Sink> inflater_;
};

std::unique_ptr<stream::Sink> Packets::body_of(PacketTag tag) {
  if (tag == PacketTag::literal) return std::make_unique<Literal>(context_);
  if (tag == PacketTag::compressed) return std::make_unique<Compressed>(context_, depth_ + 1);
  const bool is_signature = tag == PacketTag::signature || tag == PacketTag::one_pass_signature;
  context_.is_signed |= is_signature;
  if (is_signature || tag == PacketTag::marker || tag == PacketTag::padding) return stream::discard();
  throw Error(Errc::damaged, "a packet of kind " + std::to_string(static_cast<unsigned>(tag)) +
                                 " is inside the encrypted data");
}

class MessageContent final : public stream::Sink {
 public:
  MessageContent(stream::Sink& inner, OutputLimit limit, bool& is_signed, SalvageReport* salvage)
      : context_{inner, limit, is_signed, salvage}, packets_(context_, 0) {}

  void write(std::span<const std::byte> from) override {
    context_.read_bytes += from.size();
    packets_.write(from);
  }
  void finish() override {
    packets_.finish();
    if (!context_.has_literal) throw Error(Errc::damaged, "there is no file in the message");
    context_.inner.finish();
  }
  void cancel() noexcept override { context_.inner.cancel(); }

 private:
  Context context_;
  Packets packets_;
};

}  // namespace

void bytes_follow_the_message() {
  throw Error(
      Errc::damaged,
      "more follows the end of the message, perhaps a second one: give each message a file of its own");
}

std::optional<PacketLength> parse_packet_length(std::span<const std::byte> bytes, std::size_t& used) {
  if (bytes.empty()) return std::nullopt;
  const auto first = std::to_integer<std::uint64_t>(bytes[0]);
  used = first < 192 || (first >= 224 && first < 255) ? 1 : first == 255 ? 5 : 2;
  if (bytes.size() < used) return std::nullopt;
  if (first < 192) return PacketLength{.bytes = first};
  if (first < 224)
    return PacketLength{.bytes = ((first - 192) << 8) + std::to_integer<std::uint64_t>(bytes[1]) + 192};
  if (first < 255) return PacketLength{.bytes = std::uint64_t{1} << (first & 31), .partial = true};
  return PacketLength{.bytes = load_big(bytes.subspan(1, 4))};
}

std::optional<PacketHeader> parse_packet_header(std::span<const std::byte> bytes, std::size_t& used) {
  if (bytes.empty()) return std::nullopt;
  const auto first = std::to_integer<unsigned>(bytes[0]);
  if ((first & 0x80U) == 0) throw Error(Errc::damaged, "an OpenPGP packet is missing where one must begin");
  if ((first & 0x40U) == 0) return parse_old_header(bytes, used);
  const std::optional<PacketLength> length = parse_packet_length(bytes.subspan(1), used);
  if (!length) return std::nullopt;
  ++used;
  return PacketHeader{static_cast<PacketTag>(first & 0x3fU), *length};
}

std::size_t PacketBody::read(std::span<std::byte> into) {
  std::size_t filled = 0;
  while (filled < into.size()) {
    if (length_.to_the_end) return filled + source_.read(into.subspan(filled));
    if (length_.bytes == 0) {
      if (!length_.partial) break;
      std::size_t used = 0;
      const std::optional<PacketLength> next = parse_packet_length(source_.peek(5), used);
      if (!next) return ends_at(filled);
      source_.skip(used);
      length_ = *next;
      continue;
    }
    const auto part = first_of(into.subspan(filled), length_.bytes);
    const std::size_t got = source_.read(part);
    length_.bytes -= got;
    filled += got;
    if (got < part.size()) return ends_at(filled);
  }
  if (filled < into.size() && !source_.peek(1).empty()) {
    if (salvage_ == nullptr) bytes_follow_the_message();
    note_damage(*salvage_, "more follows the end of the message");
  }
  return filled;
}

std::size_t PacketBody::ends_at(std::size_t filled) {
  if (salvage_ == nullptr) ends_early();
  note_damage(*salvage_, kEndsInsidePacket);
  return filled;
}

std::unique_ptr<stream::Sink> message_content(stream::Sink& inner, OutputLimit limit, bool& is_signed,
                                              SalvageReport* salvage) {
  return std::make_unique<MessageContent>(inner, limit, is_signed, salvage);
}

}  // namespace fugu::format
