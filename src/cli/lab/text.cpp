// Converts numbers to and from text, and values of properties to text.
#include <bit>
#include <charconv>

#include "cli/lab/work.hpp"
#include "fugu/spectral/lab/box_tables.hpp"

namespace fugu::cli {
namespace {

constexpr std::size_t kPieceChars = std::size_t{1} << 18;
constexpr std::size_t kTextPieceValues = std::size_t{1} << 14;

constexpr bool is_separator(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == ',';
}

constexpr bool is_digit(char c) {
  return c == '0' || c == '1' || c == '_' || c == ' ' || (c >= '\t' && c <= '\r');
}

std::size_t pieces_of(std::string_view text) {
  return (text.size() + kPieceChars - 1) / kPieceChars;
}

// A piece includes the words that begin in it.
struct WordRange {
  const char* begin;
  const char* end;
};

WordRange piece_of(std::string_view text, std::size_t i) {
  const char* begin = text.data() + i * kPieceChars;
  const char* const end = text.data() + std::min(text.size(), (i + 1) * kPieceChars);
  while (i > 0 && begin < end && !is_separator(begin[-1])) ++begin;
  return {begin, end};
}

std::size_t words_in(const WordRange& piece) {
  std::size_t words = 0;
  unsigned before = 1;
  for (const char* at = piece.begin; at < piece.end; ++at) {
    const unsigned separator = is_separator(*at) ? 1 : 0;
    words += before & ~separator;
    before = separator;
  }
  return words;
}

// Reads up to the first word that is not a number, and returns that word.
template <class T>
std::string_view read_piece(std::string_view text, const WordRange& piece, std::span<T>& out) {
  const char* const text_end = text.data() + text.size();
  for (const char* at = piece.begin; at < piece.end;) {
    if (is_separator(*at)) {
      ++at;
      continue;
    }
    const char* end = at;
    while (end < text_end && !is_separator(*end)) ++end;
    const auto [stop, error] = std::from_chars(at, end, out.front());
    if (error != std::errc() || stop != end) return {at, end};
    out = out.subspan(1);
    at = end;
  }
  return {};
}

// The option that reads what is not a number.
std::string_view form_of(std::string_view word) {
  if (word.starts_with('x')) return "; --from polynomial reads polynomials";
  const bool is_hex = word.find_first_not_of("0123456789abcdefABCDEF") == word.npos;
  return is_hex && word.find_first_of("abcdefABCDEF") != word.npos ? "; --from hex reads hexadecimal digits"
                                                                   : "";
}

template <class T>
[[noreturn]] void refuse_word(std::uint64_t index, std::string_view word) {
  if (printable(word) != word) refuse_binary();
  refuse("value {}, '{}', is not {} of {} bits{}", index + 1, printable(word.substr(0, 40)),
         std::is_integral_v<T> ? "an integer" : "a number", 8 * sizeof(T),
         std::is_integral_v<T> ? form_of(word) : "");
}

template <class T>
Array<T> read_as(std::string_view text, threads::ThreadPool& pool) {
  std::vector<std::size_t> first(pieces_of(text) + 1);
  pool.for_each(pieces_of(text), [&](std::size_t i) { first[i + 1] = words_in(piece_of(text, i)); });
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  Array<T> numbers(first.back());
  pool.for_each(pieces_of(text), [&](std::size_t i) {
    std::span<T> out = numbers.span().subspan(first[i], first[i + 1] - first[i]);
    const std::string_view wrong = read_piece(text, piece_of(text, i), out);
    if (!wrong.empty()) refuse_word<T>(first[i + 1] - out.size(), wrong);
  });
  return numbers;
}

bool any_of(std::string_view text, threads::ThreadPool& pool, bool (*wanted)(char)) {
  std::atomic<bool> found = false;
  pool.for_each(pieces_of(text), [&](std::size_t i) {
    if (!found && std::ranges::any_of(text.substr(i * kPieceChars, kPieceChars), wanted)) found = true;
  });
  return found;
}

template <class T>
void append_number(std::string& text, T x) {
  constexpr double kWhole = 9.2e18;
  if constexpr (std::is_integral_v<T>) {
    const fmt::format_int number(x);
    text.append(number.data(), number.size());
  } else if (x != 0 && std::abs(static_cast<double>(x)) < kWhole && std::trunc(x) == x) {
    append_number(text, static_cast<std::int64_t>(x));
  } else {
    fmt::format_to(std::back_inserter(text), "{}", x);
  }
}

// Whether the text is only the digits 0 and 1, white space and '_': a truth table, unless the user says
// numbers.
bool is_digits(std::string_view text, threads::ThreadPool& pool) {
  if (text.find_first_of("01") == std::string_view::npos) return false;
  const std::string_view head = text.substr(0, 4096);  // usually has other characters, too
  if (!std::ranges::all_of(head, is_digit)) return false;
  return !any_of(text, pool, [](char c) { return !is_digit(c); });
}

// Throws Error{usage} for a word such as 0001, which may be one number or four values.
void refuse_leading_zeros(std::string_view digits) {
  for (std::size_t at = 0; at + 1 < digits.size(); ++at) {
    const bool begins = at == 0 || is_separator(digits[at - 1]);
    if (!begins || digits[at] != '0' || is_separator(digits[at + 1])) continue;
    const std::string_view rest = digits.substr(at);
    const auto end = std::ranges::find_if(rest, is_separator);
    throw Error(
        Errc::usage,
        fmt::format("'{}' may be a number or the digits of a truth table: remove the leading zeros, or give "
                    "--from bits",
                    rest.substr(0, std::min<std::size_t>(40, static_cast<std::size_t>(end - rest.begin())))));
  }
}

// Throws Error{usage} for a lone word that is a truth table but for one character.
void refuse_mistyped(std::string_view text) {
  while (!text.empty() && is_separator(text.back())) text.remove_suffix(1);
  const std::size_t at = text.find_first_not_of("01");
  const bool is_one = at != text.npos && text.find_first_not_of("01", at + 1) == text.npos;
  if (is_one && text.size() > 2 && std::has_single_bit(text.size()))
    refuse("digit {} of the truth table is '{}', not 0 or 1", at + 1, printable(text.substr(at, 1)));
}

// One polynomial per line; a line is continued by an operator at its end or at the beginning of the next.
std::vector<std::string_view> polynomials_in(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  constexpr std::string_view kOperators = "+^*";
  std::vector<std::string_view> polynomials;
  for (std::size_t begin = 0, at = 0; begin < text.size(); ++at) {
    at = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(begin, at - begin);
    const std::size_t last = line.find_last_not_of(kSpace);
    const std::size_t next = text.find_first_not_of(kSpace, at);
    const auto joins = [&](std::string_view in, std::size_t i) {
      return i != std::string_view::npos && kOperators.find(in[i]) != std::string_view::npos;
    };
    if (next != std::string_view::npos && (joins(line, last) || joins(text, next))) continue;
    if (last != std::string_view::npos) polynomials.push_back(line.substr(0, last + 1));
    begin = at + 1;
  }
  return polynomials;
}

namespace lab = spectral::lab;
using Json = nlohmann::ordered_json;

struct Text {
  std::string operator()(std::monostate) const { return {'-'}; }
  std::string operator()(bool value) const { return {value ? '1' : '0'}; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(std::uint64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return fmt::format("{:.{}f}", value, digits); }
  std::string operator()(const lab::BigNumber& value) const { return value.digits; }
  std::string operator()(const spectral::Histogram& value) const { return histogram_text(value); }
  std::string operator()(const lab::Numbers& value) const { return fmt::format("{}", fmt::join(value, " ")); }
  std::string operator()(lab::Pair value) const { return fmt::format("{} {}", value.first, value.second); }
  std::string operator()(spectral::Annihilators value) const {
    return fmt::format("{}:{}", value.degree, value.dimension);
  }

  int digits;
};

struct JsonOf {
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(const lab::BigNumber& value) const {
    std::uint64_t small = 0;
    const char* const end = value.digits.data() + value.digits.size();
    const bool fits = std::from_chars(value.digits.data(), end, small).ec == std::errc();
    return fits ? Json(small) : Json(value.digits);
  }
  Json operator()(const spectral::Histogram& value) const {
    Json pairs = Json::array();
    for (const auto& [v, count] : value) pairs.push_back({v, count});
    return pairs;
  }
  Json operator()(lab::Pair value) const { return {value.first, value.second}; }
  Json operator()(spectral::Annihilators value) const { return {value.degree, value.dimension}; }
  template <class T>
  Json operator()(const T& value) const {
    return value;
  }
};

template <class Rows>
std::string list_of(std::string_view title, Rows rows) {
  std::string text = fmt::format("\n{}\n", title);
  for (const auto& row : rows) {
    if (row.column.empty()) continue;
    text += fmt::format("{:<22}{}{}\n", row.column, definition(row),
                        row.attribute.empty() || row.attribute == row.column
                            ? "."
                            : fmt::format("; in Python {}.", row.attribute));
  }
  return text;
}

}  // namespace

void refuse_binary() {
  refuse(
      "not text, but binary; read numbers with --from raw and --type, the bits of a truth table with --from "
      "packed");
}

Values read_numbers(std::string_view text, std::optional<ValueType> type, threads::ThreadPool& pool) {
  if (!type) {
    const bool real =
        any_of(text, pool, [](char c) { return c == '.' || c == 'e' || c == 'E' || c == 'n' || c == 'N'; });
    type = real ? ValueType::float64 : ValueType::int64;
  }
  return values_of(*type, [&](auto to) { return read_as<decltype(to)>(text, pool); });
}

Content read_digits(std::string_view text, spectral::Digits digits, const Reading& reading) {
  const spectral::DigitReader reader(text, digits, {.pool = &reading.pool});
  return {PackedValues{reader.read(), reader.values()}};
}

Content read_polynomials(std::string_view text, const Reading& reading) {
  if (!reading.variables) refuse("a polynomial needs --variables N");
  std::vector<std::string_view> polynomials = polynomials_in(text);
  if (polynomials.empty()) polynomials.emplace_back();
  Tables tables;
  for (const std::string_view polynomial : polynomials)
    tables.push_back(spectral::TruthTable::from_polynomial(polynomial, *reading.variables));
  const std::uint64_t columns = std::uint64_t{1} << *reading.variables;
  const std::uint64_t rows = tables.size();
  return {std::move(tables), {rows, columns, rows > 1}};
}

Content read_text(std::string_view text, const Reading& reading) {
  const bool digits = is_digits(text, reading.pool);
  const bool named = reading.format.has_value();
  if (digits && !named && !reading.wants_values()) return read_digits(text, spectral::Digits::bits, reading);
  if (digits) refuse_leading_zeros(text);
  if (!named && !reading.wants_values()) refuse_mistyped(text);
  return {read_numbers(text, reading.type, reading.pool), {}, named};
}

void write_pieces(std::size_t count, const std::function<void(std::size_t, std::string&)>& make,
                  stream::Sink& sink, threads::ThreadPool& pool) {
  std::vector<std::string> made(std::min<std::size_t>(count, std::size_t{4} * pool.threads()));
  for (std::size_t first = 0; first < count; first += made.size()) {
    const std::size_t now = std::min(made.size(), count - first);
    pool.for_each(now, [&](std::size_t i) {
      made[i].clear();
      make(first + i, made[i]);
    });
    for (std::size_t i = 0; i < now; ++i) sink.write(std::as_bytes(std::span(made[i])));
  }
}

void write_numbers(const Values& values, stream::Sink& sink, threads::ThreadPool& pool) {
  std::visit(
      [&](const auto& v) {
        write_pieces(
            (v.size() + kTextPieceValues - 1) / kTextPieceValues,
            [&](std::size_t piece, std::string& text) {
              const std::size_t first = piece * kTextPieceValues;
              for (const auto x : v.span().subspan(first, std::min(kTextPieceValues, v.size() - first))) {
                append_number(text, x);
                text += '\n';
              }
            },
            sink, pool);
      },
      values);
}

std::string histogram_text(const spectral::Histogram& histogram) {
  std::string text;
  for (const auto& [value, count] : histogram)
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", value, count);
  return text;
}

std::string value_text(const lab::Value& value, int digits) {
  return std::visit(Text{digits}, value);
}

Json value_json(const lab::Value& value) {
  return std::visit(JsonOf{}, value);
}

std::string property_list() {
  std::string tables = "\ntables, for fugu sbox table and fugu sbox spectrum\n";
  for (const auto& table : lab::box_tables())
    tables += fmt::format("{:<22}{}.\n", table.name, definition(table));
  return tables + list_of("fields of fugu sbox report, as --only names them", lab::box_properties()) +
         list_of("columns of fugu spectral properties, for f in n variables", lab::function_properties());
}

}  // namespace fugu::cli
