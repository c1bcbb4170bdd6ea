#include "fugu/stream/hex.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fugu/stream/detail/text_codec.hpp"
#include "fugu/stream/dress.hpp"

namespace fugu::stream {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::size_t kLineBytes = 30;
constexpr std::size_t kNumberBytes = 8;  // of a block of Blowfish: what signed numbers are multiples of
constexpr std::size_t kNumberDigits = 2 * kNumberBytes;

using Pair = std::array<char, 2>;

constexpr std::array<Pair, 256> kPairs = [] {
  std::array<Pair, 256> pairs{};
  for (std::size_t byte = 0; byte < pairs.size(); ++byte)
    pairs[byte] = {kDigits[byte >> 4], kDigits[byte & 15]};
  return pairs;
}();

enum Kind : std::uint8_t { space = 16, stranger };  // below 16: four bits of data

constexpr std::array<std::uint8_t, 256> kKinds = [] {
  std::array<std::uint8_t, 256> kinds{};
  kinds.fill(stranger);
  for (const char c : kTextSpace) kinds[static_cast<unsigned char>(c)] = space;
  for (std::uint8_t bits = 0; bits < 16; ++bits) {
    kinds[static_cast<unsigned char>(kDigits[bits])] = bits;
    kinds[static_cast<unsigned char>("0123456789ABCDEF"[bits])] = bits;
  }
  return kinds;
}();

constexpr const char* kEndsInside =
    "hexadecimal text ends inside a byte; a number of Java's BigInteger is read by --signed-hex";

// How the text spells its bytes, as far as its beginning says.
enum class Form : std::uint8_t {
  begin,      // nothing but white space yet
  first,      // at most one byte, without a prefix: 0x or separators may follow
  digits,     // digits and white space to the end
  slashed,    // \x and at most one byte: digits, or \x before each byte
  separated,  // by separator_
  escaped,    // \x before each byte
  quoted,     // in X'..'
  closed,     // behind it
};

// What to say of a character that does not belong to the spelling.
const char* is_not_a_digit(char c, Form form) {
  switch (c) {
    case '\\':
      return "is a backslash: \\x stands once before all digits, or before each byte";
    case 'x':
    case 'X':
      return "is an x: 0x or \\x stands before all digits, once";
    case ':':
      return "separates the digits: one : or - stands between all bytes, or none";
    case '-':
      return form == Form::begin ? "is a minus sign: a number with a sign is read by --signed-hex"
                                 : "separates the digits: one : or - stands between all bytes, or none";
    case ',':
    case ';':
      return "separates the digits: take out all but digits and spaces";
    case '"':
    case '\'':
      return "is a quotation mark: take out the quotes";
    default:
      return "is not a hexadecimal digit";
  }
}

class Decoding {
 public:
  Decoded decode(std::span<const std::byte> text, std::span<std::byte> into) noexcept {
    Decoded decoded;
    while (decoded.taken < text.size() && decoded.written < into.size()) {
      if (is_plain()) {
        const auto rest = text.subspan(decoded.taken);
        const std::size_t pairs = decode_hex_pairs({reinterpret_cast<const char*>(rest.data()), rest.size()},
                                                   into.subspan(decoded.written));
        decoded.taken += 2 * pairs;
        decoded.written += pairs;
        if (pairs != 0) any_ = true;
        if (decoded.taken == text.size() || decoded.written == into.size()) break;
      }
      decoded.fault = take(std::to_integer<char>(text[decoded.taken]));
      if (decoded.fault != nullptr) break;
      ++decoded.taken;
      if (has_byte_) into[decoded.written++] = byte_;
      has_byte_ = false;
    }
    return decoded;
  }

  const char* end() const noexcept {
    if (form_ == Form::quoted || awaited_ == '\'') return "the literal X'..' does not end";
    const bool ends_in_prefix =
        awaited_ == 0 && !high_ && !any_ && (form_ == Form::slashed || form_ == Form::digits);
    if (ends_in_prefix) return "no digits follow the 0x or \\x in front";
    const bool is_inside = high_ || awaited_ != 0 || (form_ == Form::escaped && !at_byte_end_);
    if (is_inside) return kEndsInside;
    return form_ == Form::separated && !at_byte_end_ ? "hexadecimal text ends after a separator" : nullptr;
  }

 private:
  bool is_plain() const {
    return (form_ == Form::digits || form_ == Form::quoted) && awaited_ == 0 && !high_;
  }

  const char* take(char c) {
    const std::uint8_t kind = kKinds[static_cast<unsigned char>(c)];
    const bool after_zero = std::exchange(is_zero_, false);
    if (awaited_ != 0) return take_awaited(c);
    if (kind == space) return take_space();
    if (form_ == Form::closed) return "follows the end of the literal";
    if (kind < space) return take_digit(kind);
    return take_sign(c, after_zero);
  }

  const char* take_awaited(char c) {
    if (c != awaited_) return is_not_a_digit(c, form_);
    awaited_ = 0;
    return nullptr;
  }

  const char* take_space() {
    if (high_ && (form_ == Form::separated || form_ == Form::escaped || form_ == Form::slashed))
      return "is white space inside a byte";
    if (high_ && form_ == Form::first) form_ = Form::digits;
    return nullptr;
  }

  const char* take_digit(std::uint8_t digit) {
    if (!high_ && any_ && (form_ == Form::first || form_ == Form::slashed)) form_ = Form::digits;
    if ((form_ == Form::separated || form_ == Form::escaped) && at_byte_end_ && !high_)
      return form_ == Form::separated ? "follows a byte without the separator of the others"
                                      : "follows a byte without the \\x of the others";
    if (form_ == Form::begin) {
      form_ = Form::first;
      is_zero_ = digit == 0;
    }
    at_byte_end_ = high_.has_value();
    if (!high_) {
      high_ = digit;
      return nullptr;
    }
    byte_ = static_cast<std::byte>(*std::exchange(high_, std::nullopt) << 4 | digit);
    has_byte_ = true;
    any_ = true;
    return nullptr;
  }

  // Whatever is neither a digit nor white space.
  const char* take_sign(char c, bool after_zero) {
    const bool is_x = c == 'x' || c == 'X';
    if (is_x && after_zero) {
      high_.reset();
      form_ = Form::digits;
    } else if (is_x && form_ == Form::begin) {
      form_ = Form::quoted;
      awaited_ = '\'';
    } else if (c == '\\' && begins_escape()) {
      form_ = form_ == Form::begin ? Form::slashed : Form::escaped;
      at_byte_end_ = false;
      awaited_ = 'x';
    } else if ((c == ':' || c == '-') && separates(c)) {
      form_ = Form::separated;
      separator_ = c;
      at_byte_end_ = false;
    } else if (c == '\'' && form_ == Form::quoted && !high_) {
      form_ = Form::closed;
    } else {
      return is_not_a_digit(c, form_);
    }
    return nullptr;
  }

  bool begins_escape() const {
    return form_ == Form::begin ||
           (!high_ && at_byte_end_ && (form_ == Form::slashed || form_ == Form::escaped));
  }

  bool separates(char c) const {
    if (high_ || !at_byte_end_) return false;
    return form_ == Form::first || (form_ == Form::separated && c == separator_);
  }

  Form form_ = Form::begin;
  char awaited_ = 0;  // the one character that may follow; 0: any
  char separator_ = 0;
  bool is_zero_ = false;              // the character before is a zero at the beginning
  bool at_byte_end_ = false;          // a byte has ended, and no separator or \x follows it yet
  bool any_ = false;                  // a byte has been read
  std::optional<std::uint8_t> high_;  // half a byte that waits for its second digit
  std::byte byte_{};
  bool has_byte_ = false;
};

// The two's complement of a number whose first byte is the most significant.
void negate(std::span<std::byte> number) {
  unsigned carry = 1;
  for (std::size_t i = number.size(); i != 0; --i) {
    carry += std::to_integer<unsigned>(~number[i - 1]);
    number[i - 1] = static_cast<std::byte>(carry);
    carry >>= 8;
  }
}

}  // namespace

int hex_digit(char c) noexcept {
  const std::uint8_t kind = kKinds[static_cast<unsigned char>(c)];
  return kind < space ? kind : -1;
}

std::size_t decode_hex_pairs(std::string_view digits, std::span<std::byte> into) noexcept {
  const std::size_t most = std::min(digits.size() / 2, into.size());
  std::size_t pairs = 0;
  for (; pairs < most; ++pairs) {
    const unsigned high = kKinds[static_cast<unsigned char>(digits[2 * pairs])];
    const unsigned low = kKinds[static_cast<unsigned char>(digits[2 * pairs + 1])];
    if ((high | low) >= space) break;
    into[pairs] = static_cast<std::byte>(high << 4 | low);
  }
  return pairs;
}

DecodedText decode_hex(std::string_view text, std::span<std::byte> into) noexcept {
  return decode_whole<Decoding>(text, into);
}

DecodedText decode_signed_hex(std::string_view text, std::span<std::byte> into) noexcept {
  const std::size_t first = std::min(text.find_first_not_of(kTextSpace), text.size());
  std::string_view digits = text.substr(first, text.find_last_not_of(kTextSpace) + 1 - first);
  if (digits.empty()) return {.at = text.size()};
  const bool is_negative = digits.front() == '-';
  if (is_negative) digits.remove_prefix(1);
  if (digits.empty()) return {0, text.size(), "a minus sign without digits", true};
  const std::size_t bytes = (digits.size() + kNumberDigits - 1) / kNumberDigits * kNumberBytes;
  const std::size_t filled = digits.size() / 2;
  const std::span<std::byte> number = into.first(bytes);
  std::ranges::fill(number, std::byte{0});
  const bool is_odd = digits.size() % 2 != 0;
  const int front = is_odd ? hex_digit(digits.front()) : 0;
  const std::size_t pairs =
      front < 0 ? 0 : decode_hex_pairs(digits.substr(is_odd ? 1 : 0), number.last(filled));
  if (front < 0 || pairs != filled) {
    const auto stranger = std::ranges::find_if(digits, [](char c) { return hex_digit(c) < 0; });
    const bool is_line = stranger != digits.end() && (*stranger == '\n' || *stranger == '\r');
    return {0, static_cast<std::size_t>(digits.data() - text.data() + (stranger - digits.begin())),
            is_line ? "ends the line of a number: --lines reads one per line" : "is not a hexadecimal digit"};
  }
  if (is_odd) number[bytes - filled - 1] = static_cast<std::byte>(front);
  if (is_negative) {
    negate(number);
    const bool fits = (number.front() & std::byte{0x80}) != std::byte{0};  // and is not zero
    if (!fits) return {0, first, "is the sign of a number that does not fit its bytes"};
  }
  return {.bytes = bytes, .at = text.size()};
}

std::unique_ptr<Source> signed_hex_decoder(std::unique_ptr<Source> inner) {
  return whole_decoder(std::move(inner), decode_signed_hex);
}

char* encode_hex(std::span<const std::byte> bytes, char* to) noexcept {
  for (const std::byte byte : bytes) {
    std::memcpy(to, kPairs[std::to_integer<std::size_t>(byte)].data(), 2);
    to += 2;
  }
  return to;
}

std::unique_ptr<Sink> hex_encoder(Sink& inner, TextLines lines) {
  return std::make_unique<LineEncoder>(inner, lines, kLineBytes, encode_hex);
}

std::unique_ptr<Source> hex_decoder(std::unique_ptr<Source> inner) {
  return std::make_unique<DecodedSource<Decoding>>(std::move(inner));
}

}  // namespace fugu::stream
