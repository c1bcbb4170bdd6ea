// Truth tables from and to text, polynomials and bytes; digits in pieces of the text on all threads.
#include "fugu/spectral/truth_table.hpp"

#include <bit>
#include <utility>

#include "fugu/spectral/detail/check_rows.hpp"
#include "fugu/spectral/detail/packed_bits.hpp"
#include "fugu/spectral/digits.hpp"

namespace fugu::spectral {
namespace {

constexpr bool is_separator(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || c == '_';
}

[[noreturn]] void refuse(std::string_view text, std::size_t at, std::string_view wanted) {
  throw Error(Errc::usage,
              "character " + std::to_string(at + 1) + " ('" + text[at] + "') is not " + std::string(wanted));
}

TruthTable from_digits(std::string_view text, Digits digits, const WalshOptions& options) {
  const DigitReader reader(text, digits, options);
  const int variables = log2_exact(reader.values());
  return {variables, reader.read()};
}

// Reads "1 + x0 x2 + ..." one term at a time.
class PolynomialReader {
 public:
  PolynomialReader(std::string_view text, int variables, const WalshOptions& options)
      : text_(text), variables_(variables), options_(options) {}

  TruthTable read() {
    TruthTable form(variables_);
    skip_spaces();
    for (;;) {
      detail::throw_if_stopped(options_.stop);
      read_term(form);
      if (at_ == text_.size()) {
        detail::moebius(form.words(), variables_, detail::Workers(options_, form.size()));
        return form;
      }
      if (text_[at_] != '+' && text_[at_] != '^') refuse(text_, at_, "'+'");
      ++at_;
      skip_spaces();
    }
  }

 private:
  void skip_spaces() {
    while (at_ < text_.size() && is_separator(text_[at_])) ++at_;
  }

  void read_term(TruthTable& form) {
    std::size_t monomial = 0;
    bool zero = false;
    for (;;) {
      read_factor(monomial, zero);
      skip_spaces();
      if (at_ < text_.size() && text_[at_] == '*') {
        ++at_;
        skip_spaces();
      } else if (at_ == text_.size() || text_[at_] == '+' || text_[at_] == '^') {
        if (!zero) form.set(monomial, !form[monomial]);
        return;
      }
    }
  }

  void read_factor(std::size_t& monomial, bool& zero) {
    if (at_ == text_.size()) throw Error(Errc::usage, "the polynomial ends where a term should follow");
    if (text_[at_] == '0' || text_[at_] == '1') {
      zero = zero || text_[at_] == '0';
      ++at_;
      return end_constant();
    }
    if (text_[at_] != 'x') refuse(text_, at_, "0, 1 or a variable x0, x1, ...");
    monomial |= std::size_t{1} << read_variable();
  }

  // Refuses "10x0" and "11", which are ambiguous: a number or a product.
  void end_constant() const {
    const bool ends = at_ == text_.size() || is_separator(text_[at_]) ||
                      std::string_view("+^*").find(text_[at_]) != std::string_view::npos;
    if (!ends) refuse(text_, at_, "'+', '*' or a space, which follow a 0 or 1");
  }

  int read_variable() {
    const std::size_t start = at_++;
    int index = -1;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9' && index < 1000) {
      index = std::max(index, 0) * 10 + (text_[at_++] - '0');
    }
    if (index < 0 || index >= variables_) {
      const std::string name(text_.substr(start, at_ - start));
      throw Error(Errc::usage, variables_ == 0
                                   ? "'" + name + "': a function of 0 variables has none"
                                   : "'" + name + "' is not one of x0 to x" + std::to_string(variables_ - 1));
    }
    return index;
  }

  std::string_view text_;
  int variables_;
  const WalshOptions& options_;
  std::size_t at_ = 0;
};

constexpr std::size_t kPieceChars = std::size_t{1} << 16;
constexpr std::uint8_t kSeparator = 0x10;
constexpr std::uint8_t kForeign = 0x20;

constexpr unsigned reversed_nibble(unsigned x) {
  return (x & 1) << 3 | (x & 2) << 1 | (x & 4) >> 1 | (x & 8) >> 3;
}

constexpr std::uint8_t packed_digit(char c, Digits digits) {
  if (is_separator(c)) return kSeparator;
  if (digits == Digits::bits) return c == '0' || c == '1' ? static_cast<std::uint8_t>(c - '0') : kForeign;
  const int letter = c | 0x20;
  const int value = c >= '0' && c <= '9' ? c - '0' : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
  return value < 0 ? kForeign : static_cast<std::uint8_t>(reversed_nibble(static_cast<unsigned>(value)));
}

// The values of each character, the first in the lowest bit.
using DigitTable = std::array<std::uint8_t, 256>;

constexpr DigitTable digit_table(Digits digits) {
  DigitTable table{};
  for (int c = 0; c < 256; ++c)
    table[static_cast<std::size_t>(c)] = packed_digit(static_cast<char>(c), digits);
  return table;
}

constexpr DigitTable kBitTable = digit_table(Digits::bits);
constexpr DigitTable kHexTable = digit_table(Digits::hexadecimal);

// The first character in the lowest byte.
std::uint64_t load(const char* from) {
  std::uint64_t x;
  std::memcpy(&x, from, sizeof x);
  return std::endian::native == std::endian::little ? x : __builtin_bswap64(x);
}

// Collects values from any position on. Neighbouring writers share their first and last words.
class BitWriter {
 public:
  BitWriter(std::uint64_t* words, std::uint64_t first)
      : word_(words + first / 64), filled_(static_cast<int>(first % 64)), shared_(filled_ != 0) {}

  void put(std::uint64_t values, int count) {
    pending_ |= values << filled_;
    filled_ += count;
    if (filled_ < 64) return;
    flush();
    filled_ -= 64;
    pending_ = filled_ == 0 ? 0 : values >> (count - filled_);
  }
  void finish() {
    shared_ = true;
    if (filled_ != 0) flush();
  }

 private:
  void flush() {
    if (shared_) {
      std::atomic_ref(*word_).fetch_or(pending_, std::memory_order_relaxed);
    } else {
      *word_ = pending_;
    }
    shared_ = false;
    ++word_;
  }

  std::uint64_t* word_;
  int filled_;
  bool shared_;
  std::uint64_t pending_ = 0;
};

// If eight characters are all 0 or 1, stores their values in the low byte.
bool eight_bits(const char* text, std::uint64_t& values) {
  const std::uint64_t x = load(text) ^ 0x3030303030303030u;
  values = x * 0x0102040810204080u >> 56;
  return (x & ~std::uint64_t{0x0101010101010101u}) == 0;
}

// Reads up to the first invalid character and returns its index, or the text's size.
template <Digits digits>
std::size_t read_piece(std::string_view text, BitWriter writer) {
  constexpr int kBits = static_cast<int>(digits);
  const DigitTable& table = digits == Digits::bits ? kBitTable : kHexTable;
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t values = 0;
    if (digits == Digits::bits && text.size() - at >= 8 && eight_bits(text.data() + at, values)) {
      writer.put(values, 8);
      at += 8;
      continue;
    }
    const std::uint8_t digit = table[static_cast<unsigned char>(text[at])];
    if (digit == kForeign) return at;
    if (digit < kSeparator) writer.put(digit, kBits);
    ++at;
  }
  writer.finish();
  return text.size();
}

}  // namespace

TruthTable::TruthTable(int variables) : variables_(variables) {
  detail::require_within(0, kMaxVariables, variables, "variables");
  words_.resize(variables < 6 ? 1 : std::size_t{1} << (variables - 6));
}

TruthTable::TruthTable(int variables, std::vector<std::uint64_t> words) : TruthTable(variables) {
  if (words.size() != words_.size()) {
    throw Error(Errc::usage, std::to_string(variables) + " variables take " + std::to_string(words_.size()) +
                                 " words, not " + std::to_string(words.size()));
  }
  words_ = std::move(words);
  if (variables < 6) words_[0] &= (std::uint64_t{1} << size()) - 1;
}

TruthTable TruthTable::from_bits(std::string_view text, const WalshOptions& options) {
  return from_digits(text, Digits::bits, options);
}
TruthTable TruthTable::from_hex(std::string_view text, const WalshOptions& options) {
  return from_digits(text, Digits::hexadecimal, options);
}
TruthTable TruthTable::from_polynomial(std::string_view text, int variables, const WalshOptions& options) {
  return PolynomialReader(text, variables, options).read();
}

void TruthTable::refuse_index(std::size_t x) const {
  throw Error(Errc::usage, "there is no f(" + std::to_string(x) + "): a function of " +
                               std::to_string(variables_) + " variables ends at " +
                               std::to_string(size() - 1));
}

void TruthTable::set(std::size_t x, bool value) {
  check_index(x);
  const std::uint64_t mask = std::uint64_t{1} << (x % 64);
  words_[x / 64] = value ? words_[x / 64] | mask : words_[x / 64] & ~mask;
}

std::string TruthTable::to_bits() const {
  std::string text(size(), '0');
  write_digits(words_, 0, Digits::bits, text);
  return text;
}

std::string TruthTable::to_hex() const {
  if (variables_ < 2)
    throw Error(Errc::usage, "a hexadecimal digit stands for four values; this function has fewer");
  std::string text(size() / 4, '0');
  write_digits(words_, 0, Digits::hexadecimal, text);
  return text;
}

template <class T>
void expand(std::span<const std::byte> packed, TableMeans means, std::span<T> out) {
  means == TableMeans::bits ? detail::expand<TableMeans::bits>(packed.data(), out)
                            : detail::expand<TableMeans::polarity>(packed.data(), out);
}
template void expand(std::span<const std::byte>, TableMeans, std::span<std::uint8_t>);
template void expand(std::span<const std::byte>, TableMeans, std::span<std::int32_t>);
template void expand(std::span<const std::byte>, TableMeans, std::span<std::int64_t>);
template void expand(std::span<const std::byte>, TableMeans, std::span<float>);
template void expand(std::span<const std::byte>, TableMeans, std::span<double>);

// Eight bytes at a time: the product gathers their lowest bits in its highest byte.
bool pack(std::span<const std::uint8_t> bytes, std::uint64_t& word) noexcept {
  std::uint8_t all[64] = {};
  std::copy_n(bytes.data(), bytes.size(), all);
  std::uint64_t seen = 0;
  word = 0;
  for (std::size_t i = 0; i < 64; i += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, all + i, sizeof eight);
    seen |= eight;
    word |= (eight * 0x0102040810204080u >> 56) << i;
  }
  return (seen & ~std::uint64_t{0x0101010101010101u}) == 0;
}

DigitReader::DigitReader(std::string_view text, Digits digits, const WalshOptions& options)
    : text_(text), digits_(digits), options_(options) {
  const std::size_t pieces = (text.size() + kPieceChars - 1) / kPieceChars;
  first_value_.resize(pieces);
  const detail::Workers workers(options_, text_.size());
  workers.for_ranges(pieces, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t piece = first; piece < last; ++piece) {
      const std::string_view part = text_.substr(piece * kPieceChars, kPieceChars);
      std::uint32_t separators = 0;
      for (const char c : part) separators += is_separator(c) ? 1u : 0u;
      first_value_[piece] = (part.size() - separators) * static_cast<unsigned>(digits_);
    }
  });
  for (std::uint64_t& first : first_value_) values_ += std::exchange(first, values_);
}

std::vector<std::uint64_t> DigitReader::read() const {
  std::vector<std::uint64_t> words(static_cast<std::size_t>((values_ + 63) / 64));
  std::atomic<std::size_t> foreign = text_.size();
  const detail::Workers workers(options_, text_.size());
  workers.for_ranges(first_value_.size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t piece = first; piece < last; ++piece) {
      const std::string_view part = text_.substr(piece * kPieceChars, kPieceChars);
      const BitWriter writer(words.data(), first_value_[piece]);
      const std::size_t end = digits_ == Digits::bits ? read_piece<Digits::bits>(part, writer)
                                                      : read_piece<Digits::hexadecimal>(part, writer);
      if (end == part.size()) continue;
      std::size_t earliest = foreign;
      const std::size_t at = piece * kPieceChars + end;
      while (at < earliest && !foreign.compare_exchange_weak(earliest, at)) {
      }
    }
  });
  if (foreign != text_.size())
    refuse(text_, foreign, digits_ == Digits::bits ? "0 or 1" : "a hexadecimal digit");
  return words;
}

void write_digits(std::span<const std::uint64_t> words, std::uint64_t first, Digits digits,
                  std::span<char> text) {
  const auto per_digit = static_cast<unsigned>(digits);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::uint64_t value = first + i * per_digit;
    const auto nibble = static_cast<unsigned>(words[static_cast<std::size_t>(value / 64)] >> value % 64 & 15);
    text[i] = digits == Digits::bits ? static_cast<char>('0' + (nibble & 1))
                                     : "0123456789abcdef"[reversed_nibble(nibble)];
  }
}

}  // namespace fugu::spectral
