// One reader of elements (a number with what may stand before it) under a few layouts.
#include "fugu/stream/dress.hpp"

#include <optional>
#include <utility>

#include "fugu/stream/base64.hpp"
#include "fugu/stream/detail/text_codec.hpp"
#include "fugu/stream/hex.hpp"
#include "fugu/stream/memory.hpp"

namespace fugu::stream {
namespace {

constexpr std::size_t kMinBytes = 8;  // a block of Blowfish: fewer numbers say nothing
constexpr std::string_view kBlanks = " \t";

std::size_t skip(std::string_view text, std::size_t at, std::string_view characters) {
  return std::min(text.find_first_not_of(characters, at), text.size());
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
};
constexpr ListForm kListForms[] = {{"0x", 16}, {"$", 16}, {"#$", 16}, {"&h", 16},
                                   {"#", 10},  {"", 10},  {"", 16}};
constexpr std::string_view kCasts[] = {"(byte)", "(sbyte)", "(char)", "byte("};
constexpr std::string_view kBetween = " \t\r\n\v\f,;'\"";
constexpr std::string_view kClosing = "]})>";
constexpr std::size_t kMaxBefore = 200;  // at most so many characters before a list
constexpr std::size_t kMaxBehind = 100;
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
    at = skip(text_, at + number->digits, "uUlL");
    byte = static_cast<std::byte>(is_negative ? 256 - number->value : number->value);
    is_listed_ |= is_negative || (form_.base == 10 && number->value > 99) || !form_.before.empty();
    return at;
  }

  // Whether the list ends here, and what follows is no other.
  bool closes(std::size_t at) const {
    if (kClosing.find(text_[at]) == text_.npos) return false;
    const std::string_view rest = text_.substr(at);
    return rest.size() <= kMaxBehind && rest.find_first_of("[{(,") == rest.npos;
  }

  std::string_view text_;
  const ListForm& form_;
  bool is_listed_ = false;  // by commas, signs or prefixes, unlike pairs of digits with blanks between them
};

// By the form and behind the bracket that most numbers are read by.
DecodedText read_list(std::string_view text, std::span<std::byte> into) noexcept {
  std::array<std::byte, 64> some;
  std::size_t most = 0;
  DecodedText best{.fault = kFollowsList};
  for (std::size_t begin = 0; begin < std::min(text.size(), kMaxBefore);) {
    for (const ListForm& form : kListForms) {
      const std::size_t numbers = List(text.substr(0, begin + some.size()), form).read(begin, some).bytes;
      if (numbers > most) best = List(text, form).read(begin, into);
      most = std::max(most, numbers);
    }
    begin = std::min(text.find_first_of("[{(", begin), text.size()) + 1;
  }
  return most == 0 ? DecodedText{.fault = kFollowsList} : best;
}

constexpr const char* kNoEscape = "is not part of text with escaped bytes";
constexpr std::string_view kNoUrlData = "=&?\"<>";

// Characters with escapes: of URLs by %, of languages by a backslash.
class Escaped {
 public:
  Escaped(std::string_view text, char lead) : text_(text), lead_(lead) {}

  // Without bytes that are no characters nothing says that these are escapes of bytes, one \x may stand
  // before all digits, and \x before each is hexadecimal text.
  DecodedText read(std::span<std::byte> into) {
    DecodedText all;
    at_ = lead_ == '\\' ? begin() : 0;
    while (at_ < text_.size() && all.fault == nullptr) {
      const char c = text_[at_];
      if (quote_ != 0 && c == quote_) {
        if (goes_on()) continue;
        if (at_ < text_.size()) all.fault = kNoEscape;
        break;
      } else if (c == lead_) {
        all.fault = take_escape(into[all.bytes]) ? nullptr : kNoEscape;
        ++all.bytes;
      } else if (c >= ' ' && c <= '~' && (lead_ == '\\' || kNoUrlData.find(c) == kNoUrlData.npos)) {
        into[all.bytes++] = static_cast<std::byte>(c == '+' && lead_ == '%' ? ' ' : c);
        ++at_;
      } else {
        all.fault = kNoEscape;
      }
    }
    if (escaped_bytes_ < 2 || (quote_ == 0 && lead_ == '\\' && hex_ == all.bytes)) all.bytes = 0;
    all.at = std::min(at_, text_.size());
    return all;
  }

 private:
  // Behind the quotation mark of a literal, which a call or an assignment may stand before; or 0.
  std::size_t begin() {
    const auto quote = std::ranges::find_if_not(text_.substr(0, kMaxBefore), [](char c) {
      return base64_digit(c) >= 0 || std::string_view(" =(:.$@").find(c) != std::string_view::npos;
    });
    if (quote == text_.end() || (*quote != '"' && *quote != '\'')) return 0;
    quote_ = *quote;
    return static_cast<std::size_t>(quote - text_.begin()) + 1;
  }

  // "one" "two" is one literal; only what closes a call or a statement follows the last.
  bool goes_on() {
    const std::size_t next = skip(text_, at_ + 1, kTextSpace);
    const bool is_next = next < text_.size() && text_[next] == quote_;
    at_ = is_next ? next + 1 : skip(text_, next, ");");
    return is_next;
  }

  bool take_escape(std::byte& byte) {
    const std::size_t at = at_ + 1;
    if (lead_ == '%') return take_number(at, 16, 2, 2, byte);
    const char c = at < text_.size() ? text_[at] : '\0';
    if (c == 'x') ++hex_;
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
    const bool is_line_end = number->value == '\n' || number->value == '\r';
    if (number->value >= 0x7f || (number->value < ' ' && !is_line_end)) ++escaped_bytes_;
    at_ = at + number->digits;
    return true;
  }

  std::string_view text_;
  char lead_;
  char quote_ = 0;
  std::size_t at_ = 0;
  std::size_t escaped_bytes_ = 0;
  std::size_t hex_ = 0;  // escapes by \x
};

DecodedText read_escaped(std::string_view text, std::span<std::byte> into) noexcept {
  const std::string_view inner = trimmed(text);
  const char lead = inner.find('\\') < inner.find('%') ? '\\' : '%';
  if (inner.find(lead) == inner.npos) return {.fault = kNoEscape};
  return Escaped(inner, lead).read(into);
}

// A line of a dump: an offset, pairs of digits in groups, perhaps the characters once more.
const char* read_dump_line(std::string_view line, std::span<std::byte> into, std::size_t& bytes) {
  constexpr std::size_t kOffsetDigits = 8;
  if (line == "*") return "stands for lines that are left out: dump all of them, with hexdump -v";
  const auto digits_at = [&](std::size_t at) {
    return std::min(line.find_first_not_of("0123456789abcdefABCDEF", at), line.size()) - at;
  };
  const std::size_t digits = digits_at(0);
  const bool is_xxd = line.substr(digits).starts_with(':');
  std::array<std::byte, 4> offset;
  if (digits != kOffsetDigits || decode_hex_pairs(line.substr(0, digits), offset) != offset.size())
    return "begins a line without an offset";
  std::size_t number = 0;
  for (const std::byte byte : offset) number = number << 8 | std::to_integer<std::size_t>(byte);
  if (number != bytes) return "begins a line whose offset does not fit: lines are missing";
  for (std::size_t at = skip(line, digits + (is_xxd ? 1 : 0), kBlanks); at < line.size();) {
    const std::size_t size = digits_at(at);
    if (size == 0 || size % 2 != 0) return line[at] == '|' ? nullptr : "is not a group of digits of a dump";
    bytes += decode_hex_pairs(line.substr(at, size), into.subspan(bytes));
    const std::size_t next = skip(line, at + size, kBlanks);
    if (next - at - size > (is_xxd ? 1 : 2)) break;
    at = next;
  }
  return nullptr;
}

DecodedText read_dump(std::string_view text, std::span<std::byte> into) noexcept {
  DecodedText all;
  while (all.at < text.size() && all.fault == nullptr) {
    const std::size_t feed = std::min(text.find('\n', all.at), text.size());
    const std::string_view line = trimmed(text.substr(all.at, feed - all.at));
    if (!line.empty()) all.fault = read_dump_line(line, into, all.bytes);
    if (all.fault == nullptr) all.at = std::min(feed + 1, text.size());
  }
  return all;
}

// Decodes base64 that lies in `into`, where its bytes need less room.
DecodedText decode_here(std::size_t size, std::span<std::byte> into) noexcept {
  return decode_base64({reinterpret_cast<const char*>(into.data()), size}, into);
}

DecodedText read_armor(std::string_view text, std::span<std::byte> into) noexcept {
  constexpr std::string_view kBegin = "-----BEGIN ", kEnd = "-----END ";
  std::size_t size = 0;
  bool in_body = false;
  text = trimmed(text);
  if (!text.starts_with(kBegin)) return {.fault = "is not armor"};
  text.remove_prefix(std::min(text.find('\n'), text.size()));
  bool ends = false;
  while (!text.empty() && !ends) {
    text.remove_prefix(1);
    const std::size_t feed = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, feed));
    text.remove_prefix(feed);
    ends = line.starts_with(kEnd);
    const bool is_header = !in_body && line.find(": ") != line.npos;
    in_body = in_body || (!is_header && !line.empty());
    if (is_header || ends || (line.starts_with('=') && line.size() == 5)) continue;
    std::ranges::copy(std::as_bytes(std::span(line)), into.begin() + static_cast<std::ptrdiff_t>(size));
    size += line.size();
  }
  DecodedText decoded = decode_here(size, into);
  decoded.at_end = true;  // a place in the joined lines is not one in the text
  if (!ends || !text.empty())
    decoded.fault = ends ? "text follows the armor" : "the armor's last line is missing";
  return decoded;
}

DecodedText read_blanks(std::string_view text, std::span<std::byte> into) noexcept {
  std::ranges::transform(text, into.begin(),
                         [](char c) { return static_cast<std::byte>(c == ' ' ? '+' : c); });
  return decode_here(text.size(), into);
}

// Of a short text, which is seen whole: blanks make whole blocks as + and do not as white space.
bool has_blanks_for_plus(std::string_view text) {
  constexpr std::size_t kMaxCharacters = 8192;
  if (text.size() > kMaxCharacters) return false;
  const auto blanks = static_cast<std::size_t>(std::ranges::count(text, ' '));
  if (blanks == 0 || !std::ranges::all_of(text, [](char c) {
        return c == ' ' || c == '=' || c == '\n' || c == '\r' ||
               (base64_digit(c) >= 0 && c != '+' && c != '-');
      }))
    return false;
  const auto digits =
      static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return base64_digit(c) >= 0; }));
  const auto is_whole = [](std::size_t count) { return count % 4 != 1 && count * 6 / 8 % kMinBytes == 0; };
  return is_whole(digits + blanks) && !is_whole(digits);
}

// b'..': what is inside it; empty for anything else.
std::string_view inside_literal(std::string_view text) {
  text = trimmed(text);
  const bool is_literal = text.size() > 3 && lower(text[0]) == 'b' && (text[1] == '\'' || text[1] == '"') &&
                          text.back() == text[1];
  return is_literal ? text.substr(2, text.size() - 3) : std::string_view();
}

template <ReadText decode>
DecodedText read_literal(std::string_view text, std::span<std::byte> into) noexcept {
  return decode(inside_literal(text), into);
}

constexpr Dress kBytes[] = {{"a dump of bytes", read_dump},
                            {"a list of numbers", read_list},
                            {"text with escapes", read_escaped},
                            {"armor", read_armor}};
constexpr Dress kHexLiteral{"a literal", read_literal<decode_hex>, false};
constexpr Dress kBase64Literal{"a literal", read_literal<decode_base64>, false};
constexpr Dress kBlanksForPlus{"base64 with blanks for +", read_blanks, false};
constexpr std::size_t kJudged = 1024;  // characters of the head that are judged

class WholeSource final : public Source {
 public:
  WholeSource(std::unique_ptr<Source> inner, ReadText reader) : inner_(std::move(inner)), read_(reader) {}

  std::size_t read(std::span<std::byte> into) override {
    if (!left_) left_.emplace(decode(text()));
    return left_->read(into);
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
    throw Error(Errc::damaged, "the text has more than 16 Mi characters, too many for this spelling");
  }

  std::span<const std::byte> decode(const std::string& text) {
    decoded_.resize(text.size() + kMinBytes);
    const DecodedText decoded = read_(text, decoded_);
    if (decoded.fault != nullptr)
      decoded.at_end ? refuse_text(decoded.fault) : refuse_character(decoded.at, decoded.fault);
    return std::span(decoded_).first(decoded.bytes);
  }

  std::unique_ptr<Source> inner_;
  ReadText read_;
  std::vector<std::byte> decoded_;
  std::optional<MemorySource> left_;
};

}  // namespace

const Dress* dress_of(std::string_view head, Digits digits) noexcept {
  const auto is_plain = [](char c) { return base64_digit(c) >= 0 || c == '='; };
  if (std::ranges::all_of(head, is_plain)) return nullptr;
  std::array<std::byte, kJudged + 8> some;
  for (const Dress& dress : kBytes)
    if (dress.read(head.substr(0, kJudged), some).bytes >= kMinBytes) return &dress;
  if (!inside_literal(head).empty()) return digits == Digits::hex ? &kHexLiteral : &kBase64Literal;
  return digits == Digits::base64 && has_blanks_for_plus(head) ? &kBlanksForPlus : nullptr;
}

std::unique_ptr<Source> whole_decoder(std::unique_ptr<Source> inner, ReadText read) {
  return std::make_unique<WholeSource>(std::move(inner), read);
}

}  // namespace fugu::stream
