#include "fugu/stream/base64.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "fugu/error.hpp"
#include "fugu/stream/detail/text_codec.hpp"

namespace fugu::stream {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t kGroupBytes = 3;
constexpr std::size_t kGroupChars = 4;
constexpr std::size_t kLineBytes = 48;  // 64 characters

using Pair = std::array<char, 2>;

// Two characters for each 12 bits: half the look-ups of one character per six.
constexpr std::array<Pair, 4096> kPairs = [] {
  std::array<Pair, 4096> pairs{};
  for (std::size_t bits = 0; bits < pairs.size(); ++bits)
    pairs[bits] = {kAlphabet[bits >> 6], kAlphabet[bits & 63]};
  return pairs;
}();

enum Kind : std::uint8_t { padding = 64, space, stranger };  // below 64: six bits of data

constexpr std::array<std::uint8_t, 256> kKinds = [] {
  std::array<std::uint8_t, 256> kinds{};
  kinds.fill(stranger);
  for (const char c : kTextSpace) kinds[static_cast<unsigned char>(c)] = space;
  kinds['='] = padding;
  kinds['-'] = 62;  // the alphabet for URLs (RFC 4648, 5)
  kinds['_'] = 63;
  for (std::size_t bits = 0; bits < 64; ++bits) {
    kinds[static_cast<unsigned char>(kAlphabet[bits])] = static_cast<std::uint8_t>(bits);
  }
  return kinds;
}();

std::uint8_t kind_of(std::byte c) {
  return kKinds[std::to_integer<std::size_t>(c)];
}

std::byte low_byte(std::uint32_t bits) {
  return static_cast<std::byte>(bits & 0xff);
}

void put_group(std::uint32_t group, char* to) {
  std::memcpy(to, kPairs[group >> 12].data(), 2);
  std::memcpy(to + 2, kPairs[group & 0xfff].data(), 2);
}

std::uint32_t load_group(const std::byte* from) {
  return std::to_integer<std::uint32_t>(from[0]) << 16 | std::to_integer<std::uint32_t>(from[1]) << 8 |
         std::to_integer<std::uint32_t>(from[2]);
}

// What to say of a character outside the alphabets, by the spelling that it belongs to.
const char* is_not_base64(char c) {
  switch (c) {
    case '"':
    case '\'':
      return "is a quotation mark: take out the quotes";
    case '\\':
      return "is a backslash: take out the escapes, such as \\n and \\/";
    case '%':
      return "is a percent sign: decode the escapes of URLs, such as %2B and %3D, first";
    case ',':
      return "is a comma: take out all but the base64 text";
    default:
      return "is not base64";
  }
}

class Encoder final : public LineEncoder {
 public:
  Encoder(Sink& inner, TextLines lines) : LineEncoder(inner, lines, kLineBytes) {}

 private:
  char* encode(std::span<const std::byte> line, char* to) const override {
    const std::byte* from = line.data();
    const std::byte* const end = from + line.size();
    for (; end - from >= 3; from += kGroupBytes, to += kGroupChars) put_group(load_group(from), to);
    if (from == end) return to;
    const std::array<std::byte, kGroupBytes> rest{from[0], end - from > 1 ? from[1] : std::byte{0}};
    put_group(load_group(rest.data()), to);
    to[3] = '=';
    if (end - from == 1) to[2] = '=';
    return to + kGroupChars;
  }
};

class Decoder final : public Source {
 public:
  explicit Decoder(std::unique_ptr<Source> inner) : text_(std::move(inner)) {}

  std::size_t read(std::span<std::byte> into) override {
    std::size_t filled = take_ready(into);
    while (filled < into.size() && more_text()) {
      filled += decode_groups(into.subspan(filled));
      if (filled == into.size() || text_.ahead().empty()) continue;
      decode_character();
      filled += take_ready(into.subspan(filled));
    }
    return filled;
  }

  std::optional<FileId> file_id() const override { return text_.inner().file_id(); }
  void cancel() noexcept override { text_.inner().cancel(); }

 private:
  bool more_text() {
    if (text_.more()) return true;
    if (in_group_ != 0) throw Error(Errc::damaged, ends_inside_group());
    return false;
  }

  const char* ends_inside_group() const {
    if (in_group_ == 1) return "base64 text ends inside a group: it is truncated";
    const bool needs_two = in_group_ == 2;
    return needs_two ? "base64 text ends inside a group: == is missing at its end, or it is truncated"
                     : "base64 text ends inside a group: = is missing at its end, or it is truncated";
  }

  // Decodes four characters at a time, as long as the text is pure data and `into` has room.
  std::size_t decode_groups(std::span<std::byte> into) {
    if (in_group_ != 0 || padded_) return 0;
    const std::size_t most = std::min(text_.ahead().size() / kGroupChars, into.size() / kGroupBytes);
    const std::byte* text = text_.ahead().data();
    std::byte* to = into.data();
    std::size_t groups = 0;
    for (; groups < most; ++groups, text += kGroupChars, to += kGroupBytes) {
      const std::uint32_t a = kind_of(text[0]), b = kind_of(text[1]), c = kind_of(text[2]),
                          d = kind_of(text[3]);
      if ((a | b | c | d) >= padding) break;
      const std::uint32_t bits = a << 18 | b << 12 | c << 6 | d;
      to[0] = low_byte(bits >> 16);
      to[1] = low_byte(bits >> 8);
      to[2] = low_byte(bits);
    }
    text_.take(groups * kGroupChars);
    return groups * kGroupBytes;
  }

  void decode_character() {
    const std::uint8_t kind = kind_of(text_.ahead().front());
    if (kind != space) {
      if (kind == stranger) text_.refuse(is_not_base64(static_cast<char>(text_.ahead().front())));
      if (padded_) {
        if (!awaits_second_padding()) text_.refuse("follows the end of the base64 text");
        if (kind != padding) text_.refuse("stands where '=' is missing");
        in_group_ = 0;
      } else if (kind == padding) {
        begin_padding();
      } else {
        group_ = group_ << 6 | kind;
        if (++in_group_ == kGroupChars) end_group(kGroupBytes, 0);
      }
    }
    text_.take(1);
  }

  bool awaits_second_padding() const { return in_group_ != 0; }

  // After two characters of data come 8 bits and "==", after three 16 bits and "=".
  void begin_padding() {
    if (in_group_ < 2) text_.refuse("is padding that cannot stand here");
    const std::uint32_t stray = in_group_ == 2 ? 4 : 2;
    if ((group_ & ((1u << stray) - 1)) != 0) text_.refuse("follows stray bits");
    const bool one_more = in_group_ == 2;
    end_group(in_group_ - 1, stray);
    padded_ = true;
    in_group_ = one_more ? 3 : 0;
  }

  void end_group(std::size_t bytes, std::uint32_t stray_bits) {
    group_ >>= stray_bits;
    for (std::size_t i = 0; i < bytes; ++i) ready_[i] = low_byte(group_ >> (8 * (bytes - 1 - i)));
    ready_begin_ = 0;
    ready_end_ = bytes;
    group_ = 0;
    in_group_ = 0;
  }

  std::size_t take_ready(std::span<std::byte> into) {
    const std::size_t bytes = std::min(into.size(), ready_end_ - ready_begin_);
    std::copy_n(ready_.begin() + static_cast<std::ptrdiff_t>(ready_begin_), bytes, into.begin());
    ready_begin_ += bytes;
    return bytes;
  }

  CharacterReader text_;
  std::uint32_t group_ = 0;   // bits of the current group
  std::size_t in_group_ = 0;  // its characters so far
  bool padded_ = false;       // the text has ended, except for a second '=' while in_group_ is not 0
  std::array<std::byte, kGroupBytes> ready_{};  // decoded, not returned yet
  std::size_t ready_begin_ = 0;
  std::size_t ready_end_ = 0;
};

}  // namespace

int base64_digit(char c) noexcept {
  const std::uint8_t kind = kKinds[static_cast<unsigned char>(c)];
  return kind < padding ? kind : -1;
}

std::unique_ptr<Sink> base64_encoder(Sink& inner, TextLines lines) {
  return std::make_unique<Encoder>(inner, lines);
}

std::unique_ptr<Source> base64_decoder(std::unique_ptr<Source> inner) {
  return std::make_unique<Decoder>(std::move(inner));
}

}  // namespace fugu::stream
