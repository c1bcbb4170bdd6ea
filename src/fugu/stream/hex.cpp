#include "fugu/stream/hex.hpp"

#include <cstring>
#include <utility>

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
    "hexadecimal text ends inside a byte; for a number of Java's BigInteger give ⟦signed-hex⟧";

// How a text spells its bytes: what stands before all, before each, between two, and behind all.
struct Form {
  std::string_view open;
  std::string_view before;
  std::string_view between;
  std::string_view close;

  std::string_view mark() const { return before.empty() ? between : before; }
};
constexpr Form kForms[] = {{"0x", "", "", ""}, {"x'", "", "", "'"}, {"", "\\x", "", ""}, {"\\x", "", "", ""},
                           {"", "", ":", ""},  {"", "", "-", ""},   {"", "", "", ""}};

bool take_word(std::string_view& text, std::string_view word) {
  text.remove_prefix(std::min(text.find_first_not_of(kTextSpace), text.size()));
  const bool is_there = begins_like(text, word);
  text.remove_prefix(is_there ? word.size() : 0);
  return is_there;
}

// Whether the first byte, and what follows it, are spelled so.
bool begins_in(const Form& form, std::string_view text) {
  if (!take_word(text, form.open) || !take_word(text, form.before)) return false;
  if (form.mark().empty()) return true;
  text.remove_prefix(std::min<std::size_t>(2, text.size()));
  return take_word(text, form.mark());
}

// What to say of a character that does not belong to the spelling.
struct Stranger {
  std::string_view characters;
  const char* says;
};
constexpr Stranger kStrangers[] = {
    {"\\", "is a backslash: \\x comes once before all digits, or before each byte"},
    {"xX", "is an x: 0x or \\x comes once, before all digits"},
    {":-", "separates the digits: one : or - comes between all bytes, or none"},
    {",;", "separates the digits: take out all but digits and spaces"},
    {"\"'", "is a quotation mark: take out the quotes"}};

class Decoding {
 public:
  // The first part holds the text's beginning.
  Decoded decode(std::span<const std::byte> text, std::span<std::byte> into) noexcept {
    const std::string_view characters(reinterpret_cast<const char*>(text.data()), text.size());
    if (form_ == nullptr) begin(characters);
    Decoded decoded;
    while (decoded.taken < text.size() && decoded.written < into.size()) {
      if (awaited_.empty() && form_->mark().empty() && !high_ && !closed_) {
        const std::size_t pairs =
            decode_hex_pairs(characters.substr(decoded.taken), into.subspan(decoded.written));
        decoded.taken += 2 * pairs;
        decoded.written += pairs;
        any_ = any_ || pairs != 0;
        if (decoded.taken == text.size() || decoded.written == into.size()) break;
      }
      decoded.fault = take(characters[decoded.taken], into[decoded.written]);
      if (decoded.fault != nullptr) break;
      ++decoded.taken;
      if (std::exchange(has_byte_, false)) ++decoded.written;
    }
    return decoded;
  }

  const char* end() const noexcept {
    if (form_ == nullptr) return nullptr;
    if (!form_->close.empty() && !closed_) return "the literal X'..' has no closing quote";
    if (!any_ && !high_ && !form_->open.empty()) return "no digits follow the 0x or \\x";
    if (high_ || !awaited_.empty() || (!form_->before.empty() && !at_byte_end_)) return kEndsInside;
    return form_->between.empty() || at_byte_end_ ? nullptr : "hexadecimal text ends after a separator";
  }

 private:
  void begin(std::string_view text) {
    form_ = std::ranges::find_if(kForms, [&](const Form& form) { return begins_in(form, text); });
    awaited_ = form_->open.empty() ? form_->before : form_->open;
  }

  const char* take(char c, std::byte& into) {
    const std::uint8_t kind = kKinds[static_cast<unsigned char>(c)];
    if (kind == space && (awaited_.empty() || !begun_))
      return high_ && !form_->mark().empty() ? "is white space inside a byte" : nullptr;
    begun_ = true;
    if (awaited_.empty() && at_byte_end_ && !form_->mark().empty()) {
      if (kind < space)
        return form_->before.empty() ? "follows a byte without the separator of the others"
                                     : "follows a byte without the \\x of the others";
      awaited_ = form_->mark();
    }
    if (!awaited_.empty()) {
      if (lower(c) != awaited_.front()) return is_not_a_digit(c);
      at_byte_end_ = false;
      awaited_.remove_prefix(1);
      return nullptr;
    }
    if (closed_) return "follows the end of the literal";
    closed_ = !form_->close.empty() && !high_ && form_->close.front() == c;
    if (kind >= space) return closed_ ? nullptr : is_not_a_digit(c);
    at_byte_end_ = has_byte_ = high_.has_value();
    if (has_byte_) {
      into = static_cast<std::byte>(*std::exchange(high_, std::nullopt) << 4 | kind);
      any_ = true;
    } else {
      high_ = kind;
    }
    return nullptr;
  }

  const char* is_not_a_digit(char c) const {
    if (c == '-' && !any_ && !high_) return "is a minus sign: for a number with a sign give ⟦signed-hex⟧";
    for (const Stranger& one : kStrangers)
      if (one.characters.find(c) != std::string_view::npos) return one.says;
    return "is not a hexadecimal digit";
  }

  const Form* form_ = nullptr;  // nothing was read
  std::string_view awaited_;    // the characters that have to follow
  bool begun_ = false;          // by anything but white space
  bool at_byte_end_ = false;    // a byte has ended, and no mark follows it yet
  bool any_ = false;            // a byte has been read
  bool closed_ = false;
  std::optional<std::uint8_t> high_;  // half a byte that waits for its second digit
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
            is_line ? "ends the line of a number: ⟦lines⟧ reads one per line" : "is not a hexadecimal digit"};
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
