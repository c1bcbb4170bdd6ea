#include "fugu/stream/base64.hpp"

#include <cstring>
#include <utility>

#include "fugu/core/wipe.hpp"
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

enum Kind : std::uint8_t { padding = 64, space, chooses, stranger };  // below 64: six bits of data

// The digits that the two alphabets of RFC 4648 do not share, as values 62 and 63.
constexpr std::string_view kStandardPair = "+/";
constexpr std::string_view kUrlPair = "-_";

using Kinds = std::array<std::uint8_t, 256>;

constexpr void set_pair(Kinds& kinds, std::string_view pair, std::uint8_t first, std::uint8_t second) {
  kinds[static_cast<unsigned char>(pair[0])] = first;
  kinds[static_cast<unsigned char>(pair[1])] = second;
}

constexpr Kinds kinds_of_all() {
  Kinds kinds{};
  kinds.fill(stranger);
  for (const char c : kTextSpace) kinds[static_cast<unsigned char>(c)] = space;
  kinds['='] = padding;
  for (std::size_t bits = 0; bits < 62; ++bits)
    kinds[static_cast<unsigned char>(kAlphabet[bits])] = static_cast<std::uint8_t>(bits);
  return kinds;
}

constexpr Kinds kinds_with(std::string_view pair) {
  Kinds kinds = kinds_of_all();
  set_pair(kinds, pair, 62, 63);
  return kinds;
}

constexpr Kinds kStandard = kinds_with(kStandardPair);
constexpr Kinds kUrl = kinds_with(kUrlPair);

// As long as neither pair has come up.
constexpr Kinds kEither = [] {
  Kinds kinds = kinds_of_all();
  set_pair(kinds, kStandardPair, chooses, chooses);
  set_pair(kinds, kUrlPair, chooses, chooses);
  return kinds;
}();

// One level of these is undone. Hexadecimal digits in either case.
struct Escape {
  std::string_view text;
  char means;
};
constexpr Escape kEscapes[] = {{"%2b", '+'},     {"%2f", '/'},     {"%3d", '='},    {"%0a", '\n'},
                               {"%0d", '\r'},    {"\\/", '/'},     {"\\n", '\n'},   {"\\r", '\r'},
                               {"\\u002b", '+'}, {"\\u002f", '/'}, {"\\u003d", '='}};

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

// What to say of a character outside the alphabet.
const char* is_not_base64(char c) {
  switch (c) {
    case '"':
    case '\'':
      return "is a quotation mark: these may only enclose the whole text";
    case ',':
      return "is a comma: take out all but the base64 text";
    case '+':
    case '/':
    case '-':
    case '_':
      return "is not in the alphabet of the text before it (+ and /, or - and _)";
    default:
      return "is not base64";
  }
}

class Decoding {
 public:
  Decoded decode(std::span<const std::byte> text, std::span<std::byte> into) noexcept {
    Decoded decoded{.written = take_ready(into)};
    while (decoded.taken < text.size() && decoded.written < into.size()) {
      const std::size_t groups = decode_groups(text.subspan(decoded.taken), into.subspan(decoded.written));
      decoded.taken += groups * kGroupChars;
      decoded.written += groups * kGroupBytes;
      if (decoded.taken == text.size()) break;
      decoded.fault = take(std::to_integer<char>(text[decoded.taken]));
      decoded.written += take_ready(into.subspan(decoded.written));
      if (decoded.fault != nullptr) break;
      ++decoded.taken;
    }
    return decoded;
  }

  const char* end() noexcept {
    if (escaped_ != 0) return "base64 text ends inside an escape";
    if (quote_ != 0 && !closed_) return "the base64 text has a quotation mark before it but none after it";
    if (padded_ || in_group_ == 0) return nullptr;
    if (in_group_ == 1) return "base64 text ends inside a group: it is truncated";
    return end_short_group() ? nullptr : "base64 text ends in stray bits: it is truncated";
  }

 private:
  // Decodes four characters at a time, as long as the text is pure data and `into` has room.
  std::size_t decode_groups(std::span<const std::byte> from, std::span<std::byte> into) {
    if (in_group_ != 0 || padded_ || closed_ || escaped_ != 0) return 0;
    const std::size_t most = std::min(from.size() / kGroupChars, into.size() / kGroupBytes);
    const std::byte* text = from.data();
    std::byte* to = into.data();
    const Kinds& kinds = *kinds_;
    const auto kind = [&kinds](std::byte c) -> std::uint32_t {
      return kinds[std::to_integer<std::size_t>(c)];
    };
    std::size_t groups = 0;
    for (; groups < most; ++groups, text += kGroupChars, to += kGroupBytes) {
      const std::uint32_t a = kind(text[0]), b = kind(text[1]), c = kind(text[2]), d = kind(text[3]);
      if ((a | b | c | d) >= padding) break;
      const std::uint32_t bits = a << 18 | b << 12 | c << 6 | d;
      to[0] = low_byte(bits >> 16);
      to[1] = low_byte(bits >> 8);
      to[2] = low_byte(bits);
    }
    if (groups != 0) begun_ = true;
    return groups;
  }

  const char* take(char c) {
    if (escaped_ != 0) return take_escaped(c);
    if ((*kinds_)[static_cast<unsigned char>(c)] == space) return nullptr;
    if (closed_) return "follows the end of the base64 text";
    const bool is_first = !std::exchange(begun_, true);
    if ((c == '"' || c == '\'') && (is_first || c == quote_)) {
      closed_ = !is_first;
      quote_ = c;
      return nullptr;
    }
    if (c == '%' || c == '\\') return take_escaped(c);
    return take_digit(c);
  }

  const char* take_escaped(char c) {
    if (escaped_ == 0) {
      if (escape_style_ != 0 && escape_style_ != c)
        return "begins an escape of another kind than the one before";
      escape_style_ = c;
    }
    escape_[escaped_++] = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
    const std::string_view so_far(escape_.data(), escaped_);
    for (const Escape& escape : kEscapes) {
      if (escape.text == so_far) {
        escaped_ = 0;
        return take_digit(escape.means);
      }
      if (escape.text.starts_with(so_far)) return nullptr;
    }
    return "is in an escape that does not belong to base64 text, or is escaped twice";
  }

  const char* take_digit(char c) {
    std::uint8_t kind = (*kinds_)[static_cast<unsigned char>(c)];
    if (kind == chooses) {
      kinds_ = kStandardPair.find(c) != std::string_view::npos ? &kStandard : &kUrl;
      kind = (*kinds_)[static_cast<unsigned char>(c)];
    }
    if (kind == space) return nullptr;
    if (kind == stranger) return is_not_base64(c);
    if (padded_) return take_after_padding(kind);
    if (kind == padding) return begin_padding();
    group_ = group_ << 6 | kind;
    if (++in_group_ == kGroupChars) end_group(kGroupBytes, 0);
    return nullptr;
  }

  const char* take_after_padding(std::uint8_t kind) {
    if (!awaits_padding_) return "follows the end of the base64 text";
    if (kind != padding) return "is in the place of a missing '='";
    awaits_padding_ = false;
    return nullptr;
  }

  const char* begin_padding() {
    if (in_group_ < 2) return "is padding that cannot be here";
    awaits_padding_ = in_group_ == 2;
    if (!end_short_group()) return "follows stray bits";
    padded_ = true;
    return nullptr;
  }

  // After two characters of data come 8 bits and "==", after three 16 bits and "=". False if the rest of the
  // bits is not zero.
  bool end_short_group() {
    const std::uint32_t stray = in_group_ == 2 ? 4 : 2;
    const bool is_whole = (group_ & ((1u << stray) - 1)) == 0;
    end_group(in_group_ - 1, stray);
    return is_whole;
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

  const Kinds* kinds_ = &kEither;
  std::uint32_t group_ = 0;      // bits of the current group
  std::size_t in_group_ = 0;     // its characters so far
  bool begun_ = false;           // by anything but white space
  bool padded_ = false;          // the text has ended, except for a second '='
  bool awaits_padding_ = false;  // for that second '='
  bool closed_ = false;          // behind the closing quotation mark
  char quote_ = 0;               // around the text; 0: none
  char escape_style_ = 0;        // % or \ of the escapes; 0: none
  std::array<char, 6> escape_{};
  std::size_t escaped_ = 0;                     // characters of an escape so far
  std::array<std::byte, kGroupBytes> ready_{};  // decoded, not returned yet
  std::size_t ready_begin_ = 0;
  std::size_t ready_end_ = 0;
};

constexpr std::size_t kBufferChars = std::size_t{64} * 1024;

}  // namespace

int base64_digit(char c) noexcept {
  const std::uint8_t kind =
      std::min(kStandard[static_cast<unsigned char>(c)], kUrl[static_cast<unsigned char>(c)]);
  return kind < padding ? kind : -1;
}

char* encode_base64(std::span<const std::byte> bytes, char* to) noexcept {
  const std::byte* from = bytes.data();
  const std::byte* const end = from + bytes.size();
  for (; end - from >= 3; from += kGroupBytes, to += kGroupChars) put_group(load_group(from), to);
  if (from == end) return to;
  const std::array<std::byte, kGroupBytes> rest{from[0], end - from > 1 ? from[1] : std::byte{0}};
  put_group(load_group(rest.data()), to);
  to[3] = '=';
  if (end - from == 1) to[2] = '=';
  return to + kGroupChars;
}

std::unique_ptr<Sink> base64_encoder(Sink& inner, TextLines lines) {
  return std::make_unique<LineEncoder>(inner, lines, kLineBytes, encode_base64);
}

DecodedText decode_base64(std::string_view text, std::span<std::byte> into) noexcept {
  return decode_whole<Decoding>(text, into);
}

std::unique_ptr<Source> base64_decoder(std::unique_ptr<Source> inner) {
  return std::make_unique<DecodedSource<Decoding>>(std::move(inner));
}

LineEncoder::LineEncoder(Sink& inner, TextLines lines, std::size_t line_bytes, Encode encode)
    : inner_(inner), lines_(lines), line_bytes_(line_bytes), encode_(encode) {
  out_.reserve(kBufferChars + 2 * kMaxLineChars);
}

LineEncoder::~LineEncoder() {
  out_.resize(out_.capacity());
  core::wipe(out_.data(), out_.size());
  core::wipe(line_.data(), line_.size());
}

// A line is encoded whole, so only its end and the buffer's need a check in between.
void LineEncoder::write(std::span<const std::byte> from) {
  while (!from.empty()) {
    const std::size_t step = std::min(from.size(), line_bytes_ - held_);
    if (step == line_bytes_) {
      put_line(from.first(step));
    } else {
      std::memcpy(line_.data() + held_, from.data(), step);
      held_ += step;
      if (held_ == line_bytes_) put_held();
    }
    from = from.subspan(step);
  }
}

void LineEncoder::finish() {
  if (held_ != 0) put_held();
  flush();
  inner_.finish();
}

void LineEncoder::put_held() {
  put_line(std::span(line_).first(std::exchange(held_, 0)));
}

void LineEncoder::put_line(std::span<const std::byte> line) {
  std::array<char, kMaxLineChars + 1> text;
  char* end = encode_(line, text.data());
  if (lines_ == TextLines::wrapped) *end++ = '\n';
  out_.append(text.data(), static_cast<std::size_t>(end - text.data()));
  if (out_.size() >= kBufferChars) flush();
}

void LineEncoder::flush() {
  if (!out_.empty()) inner_.write(std::as_bytes(std::span(out_)));
  out_.clear();
}

void refuse_character(std::uint64_t offset, const char* is) {
  throw Error(Errc::damaged, "character at byte " + std::to_string(offset) + " " + is);
}

void refuse_text(const char* fault) {
  throw Error(Errc::damaged, fault);
}

}  // namespace fugu::stream
