// One reader of elements (a number with what may stand before it) under a few layouts.
#include "fugu/stream/dress.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fugu/error.hpp"
#include "fugu/stream/base64.hpp"
#include "fugu/stream/detail/text_codec.hpp"
#include "fugu/stream/hex.hpp"

namespace fugu::stream {
namespace {

constexpr std::size_t kLeastBytes = 8;  // a block of Blowfish: fewer numbers say nothing
constexpr std::string_view kBlanks = " \t";

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool begins_like(std::string_view text, std::string_view lower_case) {
  return text.size() >= lower_case.size() &&
         std::ranges::equal(text.substr(0, lower_case.size()), lower_case, {}, lower);
}

std::size_t skip(std::string_view text, std::size_t at, std::string_view characters) {
  return std::min(text.find_first_not_of(characters, at), text.size());
}

std::string_view trim(std::string_view text) {
  const std::size_t first = skip(text, 0, kTextSpace);
  return text.substr(first, text.find_last_not_of(kTextSpace) + 1 - first);
}

// Digits of the base up to `most` of them, none of which may follow: their number and value.
struct Number {
  std::size_t digits = 0;
  unsigned value = 0;
};

std::optional<Number> number_at(std::string_view text, std::size_t at, unsigned base, std::size_t most) {
  Number number;
  for (; at < text.size(); ++at, ++number.digits) {
    const int digit = hex_digit(text[at]);
    if (digit < 0 || digit >= static_cast<int>(base)) break;
    if (number.digits == most) return std::nullopt;
    number.value = number.value * base + static_cast<unsigned>(digit);
  }
  return number.digits == 0 ? std::nullopt : std::optional(number);
}

// How a language writes one byte in a list.
struct ListForm {
  std::string_view before;
  unsigned base;
  std::string_view after = "";
};
constexpr ListForm kListForms[] = {{"0x", 16}, {"$", 16},     {"#$", 16}, {"&h", 16},
                                   {"#", 10},  {"", 16, "h"}, {"", 10},   {"", 16}};
constexpr std::string_view kCasts[] = {"(byte)", "(sbyte)", "(char)", "byte("};
constexpr std::string_view kBetween = " \t\r\n\v\f,;'\"";
constexpr std::string_view kClosing = "]})>";
constexpr std::size_t kMostBefore = 200;  // characters before a list
constexpr std::size_t kMostBehind = 100;
constexpr const char* kFollowsList = "is not part of the list of numbers";

class List {
 public:
  List(std::string_view text, const ListForm& form) : text_(text), form_(form) {}

  DecodedText read(std::size_t at, std::span<std::byte> into) {
    DecodedText list;
    for (;;) {
      const std::size_t element = between(at);
      const bool may_begin = element != at || list.bytes == 0 || !form_.before.empty();
      list.at = at = element;
      if (at == text_.size()) break;
      const std::size_t end = may_begin ? read_element(at, into[list.bytes]) : 0;
      if (end == 0) {
        if (!closes(at)) list.fault = kFollowsList;
        break;
      }
      at = end;
      ++list.bytes;
    }
    if (!is_listed_) list.bytes = 0;
    return list;
  }

 private:
  std::size_t between(std::size_t at) {
    for (;;) {
      const std::size_t end = skip(text_, at, kBetween);
      is_listed_ |= text_.substr(at, end - at).find_first_of(",;") != text_.npos;
      at = end;
      const auto cast =
          std::ranges::find_if(kCasts, [&](auto word) { return begins_like(text_.substr(at), word); });
      if (cast == std::end(kCasts)) return at;
      at += cast->size();
    }
  }

  // Its end; 0 if there is none.
  std::size_t read_element(std::size_t at, std::byte& byte) {
    const bool is_negative = form_.base == 10 && text_[at] == '-';
    if (is_negative) ++at;
    if (!begins_like(text_.substr(at), form_.before)) return 0;
    at += form_.before.size();
    const std::optional<Number> number = number_at(text_, at, form_.base, form_.base == 10 ? 3 : 2);
    if (!number || number->value > (is_negative ? 128U : 255U)) return 0;
    at += number->digits;
    if (!begins_like(text_.substr(at), form_.after)) return 0;
    at = skip(text_, at + form_.after.size(), "uUlL");
    byte = static_cast<std::byte>(is_negative ? 256 - number->value : number->value);
    is_listed_ |= is_negative || (form_.base == 10 && number->value > 99) || !form_.before.empty();
    return at;
  }

  // Whether the list ends here, and what follows is no other.
  bool closes(std::size_t at) const {
    if (kClosing.find(text_[at]) == text_.npos) return false;
    const std::string_view rest = text_.substr(at);
    return rest.size() <= kMostBehind && rest.find_first_of("[{(,") == rest.npos;
  }

  std::string_view text_;
  const ListForm& form_;
  bool is_listed_ = false;  // by commas, signs or prefixes: not pairs of digits with blanks between
};

// The form and the bracket by which most numbers are read.
DecodedText read_list(std::string_view text, std::span<std::byte> into) noexcept {
  std::array<std::byte, 64> some;
  const std::string_view head = text.substr(0, kMostBefore + 256);
  DecodedText best;
  const ListForm* best_form = kListForms;
  std::size_t best_begin = 0;
  for (std::size_t begin = 0; begin <= std::min(head.size(), kMostBefore); ++begin) {
    begin = begin == 0 ? 0 : std::min(head.find_first_of("[{(", begin - 1), head.size()) + 1;
    if (begin > head.size()) break;
    for (const ListForm& form : kListForms) {
      const std::string_view part = head.substr(0, std::min(head.size(), begin + some.size()));
      const DecodedText found = List(part, form).read(begin, some);
      if (found.bytes <= best.bytes) continue;
      best = found;
      best_form = &form;
      best_begin = begin;
    }
  }
  if (best.bytes == 0) return {.fault = kFollowsList};
  return List(text, *best_form).read(best_begin, into);
}

constexpr const char* kNoEscape = "is not an escape";

// Characters with escapes: of URLs by %, of languages by a backslash.
class Escaped {
 public:
  Escaped(std::string_view text, char lead) : text_(text), lead_(lead) {}

  // Without a byte that is no character nothing says that these are escapes of bytes.
  DecodedText read(std::span<std::byte> into) {
    DecodedText all;
    at_ = lead_ == '\\' ? begin() : 0;
    while (at_ < text_.size() && all.fault == nullptr) {
      const char c = text_[at_];
      if (quote_ != 0 && c == quote_) {
        if (!goes_on()) break;
      } else if (c == lead_) {
        all.fault = take_escape(into[all.bytes]) ? nullptr : kNoEscape;
        ++all.bytes;
      } else if (c >= ' ' && c <= '~') {
        into[all.bytes++] = static_cast<std::byte>(c == '+' && lead_ == '%' ? ' ' : c);
        ++at_;
      } else {
        all.fault = "is not a printable character";
      }
    }
    if (!has_byte_) all.bytes = 0;
    all.at = std::min(at_, text_.size());
    return all;
  }

 private:
  std::size_t begin() {
    const std::size_t quote = skip(text_, 0, "bBrRuU@$");
    if (quote > 2 || quote == text_.size() || (text_[quote] != '"' && text_[quote] != '\'')) return 0;
    quote_ = text_[quote];
    return quote + 1;
  }

  // "one" "two" is one literal; only a semicolon follows the last.
  bool goes_on() {
    const std::size_t next = skip(text_, at_ + 1, kTextSpace);
    const bool is_next = next < text_.size() && text_[next] == quote_;
    at_ = is_next ? next + 1 : std::min(skip(text_, next, ";"), text_.size());
    return is_next || at_ < text_.size();
  }

  bool take_escape(std::byte& byte) {
    const std::size_t at = at_ + 1;
    if (lead_ == '%') return take_number(at, 16, 2, 2, byte);
    const char c = at < text_.size() ? text_[at] : '\0';
    if (c == 'x') return take_number(at + 1, 16, 2, 2, byte);
    if (c == 'u') return take_number(at + 1, 16, 4, 4, byte);
    if (c >= '0' && c <= '7') return take_number(at, 8, 1, 3, byte);
    constexpr std::string_view kLetters = "abefnrtv", kMean = "\a\b\x1b\f\n\r\t\v";
    const std::size_t letter = kLetters.find(c);
    if (letter == kLetters.npos && (c == '\0' || (lower(c) >= 'a' && lower(c) <= 'z'))) return false;
    byte = static_cast<std::byte>(letter == kLetters.npos ? c : kMean[letter]);
    at_ = at + 1;
    return true;
  }

  bool take_number(std::size_t at, unsigned base, std::size_t least, std::size_t most, std::byte& byte) {
    const auto number = number_at(text_.substr(0, std::min(text_.size(), at + most)), at, base, most);
    if (!number || number->digits < least || number->value > 255) return false;
    byte = static_cast<std::byte>(number->value);
    has_byte_ |=
        number->value >= 0x7f || (number->value < ' ' && number->value != '\n' && number->value != '\r');
    at_ = at + number->digits;
    return true;
  }

  std::string_view text_;
  char lead_;
  char quote_ = 0;
  std::size_t at_ = 0;
  bool has_byte_ = false;
};

DecodedText read_escaped(std::string_view text, std::span<std::byte> into) noexcept {
  const std::string_view inner = trim(text);
  const char lead = inner.find('\\') < inner.find('%') ? '\\' : '%';
  if (inner.find(lead) == inner.npos) return {.fault = kNoEscape};
  return Escaped(inner, lead).read(into);
}

// A line of a dump: an offset, pairs of digits in groups, perhaps the characters once more.
class Dump {
 public:
  DecodedText read(std::string_view text, std::span<std::byte> into) noexcept {
    DecodedText all;
    while (all.at < text.size() && all.fault == nullptr) {
      const std::size_t feed = std::min(text.find('\n', all.at), text.size());
      const std::string_view line = trim(text.substr(all.at, feed - all.at));
      if (!line.empty()) all.fault = take_line(line, into, all.bytes);
      if (all.fault == nullptr) all.at = std::min(feed + 1, text.size());
    }
    return all;
  }

 private:
  static constexpr std::size_t kLeastOffsetDigits = 6, kMostLineBytes = 16;

  const char* take_line(std::string_view line, std::span<std::byte> into, std::size_t& bytes) {
    if (line == "*") return "stands for lines that are left out: dump all of them, with hexdump -v or od -v";
    const std::size_t digits = std::min(line.find_first_not_of("0123456789abcdefABCDEF"), line.size());
    if (digits < kLeastOffsetDigits || digits > 16) return "begins a line without an offset";
    const bool is_xxd = line.substr(digits).starts_with(':');
    std::size_t at = skip(line, digits + (is_xxd ? 1 : 0), kBlanks);
    if (!fits(line.substr(0, digits), bytes)) {
      // A word of 16 bits had one byte at the end.
      if (at != line.size() || bytes == 0 || !fits(line.substr(0, digits), bytes - 1))
        return "begins a line whose offset does not fit: lines are missing";
      --bytes;
    }
    const std::size_t end = is_xxd ? SIZE_MAX : bytes + kMostLineBytes;
    while (at < line.size() && bytes < end) {
      const std::size_t size =
          std::min(line.find_first_not_of("0123456789abcdefABCDEF", at), line.size()) - at;
      if (size != 2 && size != 4) return line[at] == '|' ? nullptr : "is no group of digits of a dump";
      decode_hex_pairs(line.substr(at, size), into.subspan(bytes));
      if (size == 4 && digits == 7 && !is_xxd) std::swap(into[bytes], into[bytes + 1]);
      bytes += size / 2;
      const std::size_t next = skip(line, at + size, kBlanks);
      if (next - at - size > (is_xxd ? 1 : 2)) break;
      at = next;
    }
    return nullptr;
  }

  // Offsets are in hexadecimal, octal or decimal digits.
  static bool fits(std::string_view digits, std::size_t bytes) {
    return std::ranges::any_of(std::array{16U, 8U, 10U}, [&](unsigned base) {
      std::uint64_t offset = 0;
      for (const char c : digits) offset = offset * base + static_cast<unsigned>(hex_digit(c));
      return offset == bytes;
    });
  }
};

DecodedText read_dump(std::string_view text, std::span<std::byte> into) noexcept {
  return Dump().read(text, into);
}

// Decodes base64 that lies in `into`, where its bytes need less room.
DecodedText decode_here(std::size_t size, std::span<std::byte> into) noexcept {
  return decode_base64({reinterpret_cast<const char*>(into.data()), size}, into);
}

DecodedText read_armor(std::string_view text, std::span<std::byte> into) noexcept {
  constexpr std::string_view kBegin = "-----BEGIN ", kEnd = "-----END ";
  std::size_t size = 0;
  bool in_body = false;
  text = trim(text);
  if (!text.starts_with(kBegin)) return {.fault = "is not armor"};
  text.remove_prefix(std::min(text.find('\n'), text.size()));
  for (std::string_view line; !text.empty() && !line.starts_with(kEnd);) {
    text.remove_prefix(1);
    const std::size_t feed = std::min(text.find('\n'), text.size());
    line = trim(text.substr(0, feed));
    text.remove_prefix(feed);
    const bool is_header = !in_body && line.find(": ") != line.npos;
    in_body = in_body || (!is_header && !line.empty());
    if (is_header || line.starts_with(kEnd) || (line.starts_with('=') && line.size() == 5)) continue;
    std::ranges::copy(std::as_bytes(std::span(line)), into.begin() + static_cast<std::ptrdiff_t>(size));
    size += line.size();
  }
  if (!text.empty()) return {0, 0, "text follows the armor", true};
  return decode_here(size, into);
}

DecodedText read_blanks(std::string_view text, std::span<std::byte> into) noexcept {
  text = trim(text);
  std::ranges::transform(text, into.begin(),
                         [](char c) { return static_cast<std::byte>(c == ' ' ? '+' : c); });
  return decode_here(text.size(), into);
}

// Blanks inside lines, at no regular distance, that make whole blocks as + and do not as white space.
bool has_blanks_for_plus(std::string_view text) {
  text = trim(text);
  const auto blanks = static_cast<std::size_t>(std::ranges::count(text, ' '));
  if (blanks == 0 || !std::ranges::all_of(text, [](char c) {
        return c == ' ' || c == '=' || c == '\n' || c == '\r' ||
               (base64_digit(c) >= 0 && c != '+' && c != '-');
      }))
    return false;
  const auto digits =
      static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return base64_digit(c) >= 0; }));
  const auto is_whole = [](std::size_t count) { return count % 4 != 1 && count * 6 / 8 % kLeastBytes == 0; };
  return is_whole(digits + blanks) && !is_whole(digits);
}

// b'..': what is inside it; empty for anything else.
std::string_view inside_literal(std::string_view text) {
  text = trim(text);
  const bool is_literal = text.size() > 3 && lower(text[0]) == 'b' && (text[1] == '\'' || text[1] == '"') &&
                          text.back() == text[1];
  return is_literal ? text.substr(2, text.size() - 3) : std::string_view();
}

DecodedText read_hex_literal(std::string_view text, std::span<std::byte> into) noexcept {
  return decode_hex(inside_literal(text), into);
}

DecodedText read_base64_literal(std::string_view text, std::span<std::byte> into) noexcept {
  return decode_base64(inside_literal(text), into);
}

constexpr Dress kBytes[] = {{"a dump of bytes", read_dump},
                            {"a list of numbers", read_list},
                            {"text with escapes", read_escaped},
                            {"armor", read_armor}};
constexpr Dress kHexLiteral{"a literal", read_hex_literal, false};
constexpr Dress kBase64Literal{"a literal", read_base64_literal, false};
constexpr Dress kBlanksForPlus{"base64 with blanks for +", read_blanks, false};
constexpr std::size_t kJudged = 1024;  // characters of the head

class WholeSource final : public Source {
 public:
  WholeSource(std::unique_ptr<Source> inner, ReadText read) : inner_(std::move(inner)), read_(read) {}

  std::size_t read(std::span<std::byte> into) override {
    if (!std::exchange(has_read_, true)) decode(text());
    const std::size_t bytes = std::min(into.size(), decoded_.size() - at_);
    std::copy_n(decoded_.begin() + static_cast<std::ptrdiff_t>(at_), bytes, into.begin());
    at_ += bytes;
    return bytes;
  }

  std::optional<FileId> file_id() const override { return inner_->file_id(); }
  void cancel() noexcept override { inner_->cancel(); }

 private:
  static constexpr std::size_t kStepBytes = std::size_t{64} << 10;
  static constexpr std::size_t kMaxCharacters = std::size_t{16} << 20;

  std::string text() {
    std::string text;
    for (std::size_t end = 0; text.size() <= kMaxCharacters; end = text.size()) {
      text.resize(end + kStepBytes);
      text.resize(end + inner_->read(std::as_writable_bytes(std::span(text).subspan(end))));
      if (text.size() == end) return text;
    }
    throw Error(Errc::damaged, "a text of more than 16 Mi characters, which is not read in this spelling");
  }

  void decode(const std::string& text) {
    decoded_.resize(text.size() + kLeastBytes);
    const DecodedText decoded = read_(text, decoded_);
    if (decoded.fault != nullptr)
      decoded.at_end ? refuse_text(decoded.fault) : refuse_character(decoded.at, decoded.fault);
    decoded_.resize(decoded.bytes);
  }

  std::unique_ptr<Source> inner_;
  ReadText read_;
  std::vector<std::byte> decoded_;
  std::size_t at_ = 0;
  bool has_read_ = false;
};

}  // namespace

const Dress* dress_of(std::string_view head, Digits digits) noexcept {
  const auto is_plain = [](char c) { return base64_digit(c) >= 0 || c == '='; };
  if (std::ranges::all_of(head, is_plain)) return nullptr;
  std::array<std::byte, kJudged + 8> some;
  for (const Dress& dress : kBytes) {
    if (dress.read(head.substr(0, kJudged), some).bytes >= kLeastBytes) return &dress;
  }
  if (!inside_literal(head).empty()) return digits == Digits::hex ? &kHexLiteral : &kBase64Literal;
  return digits == Digits::base64 && has_blanks_for_plus(head) ? &kBlanksForPlus : nullptr;
}

std::unique_ptr<Source> whole_decoder(std::unique_ptr<Source> inner, ReadText read) {
  return std::make_unique<WholeSource>(std::move(inner), read);
}

}  // namespace fugu::stream
