// Truth tables as texts, and their algebraic normal form.
#include <algorithm>
#include <bit>
#include <cctype>

#include "fugu/error.hpp"
#include "fugu/spectral/boolean.hpp"

namespace fugu::spectral {
namespace {

bool is_separator(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0 || c == '_';
}

[[noreturn]] void refuse(std::string_view text, std::size_t at, std::string_view wanted) {
  throw Error(Errc::usage,
              "character " + std::to_string(at + 1) + " ('" + text[at] + "') is not " + std::string(wanted));
}

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 16;
}

// Each digit of base 2^bits is `bits` values of the function, the first in its most significant bit.
TruthTable from_digits(std::string_view text, int bits, std::string_view wanted) {
  const auto digits =
      static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return !is_separator(c); }));
  TruthTable table(log2_exact(digits * static_cast<std::size_t>(bits)));
  std::size_t x = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (is_separator(text[at])) continue;
    const int value = digit_value(text[at]);
    if (value >= 1 << bits) refuse(text, at, wanted);
    for (int bit = bits - 1; bit >= 0; --bit) table.set(x++, (value >> bit & 1) != 0);
  }
  return table;
}

// Reads "1 + x0 x2 + ..." one term at a time.
class PolynomialReader {
 public:
  PolynomialReader(std::string_view text, int variables) : text_(text), variables_(variables) {}

  TruthTable read() {
    TruthTable form(variables_);
    skip_spaces();
    for (;;) {
      read_term(form);
      if (at_ == text_.size()) return moebius(form);
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
    do {
      read_factor(monomial, zero);
      skip_spaces();
      if (at_ < text_.size() && text_[at_] == '*') {
        ++at_;
        skip_spaces();
        if (at_ == text_.size()) break;  // read_factor says what is missing
      } else if (at_ == text_.size() || text_[at_] == '+' || text_[at_] == '^') {
        if (!zero) form.set(monomial, !form[monomial]);
        return;
      }
    } while (true);
    read_factor(monomial, zero);
  }

  void read_factor(std::size_t& monomial, bool& zero) {
    if (at_ == text_.size()) throw Error(Errc::usage, "the polynomial ends where a term should follow");
    if (text_[at_] == '0' || text_[at_] == '1') {
      zero = zero || text_[at_] == '0';
      ++at_;
      return;
    }
    if (text_[at_] != 'x') refuse(text_, at_, "0, 1 or a variable x0, x1, ...");
    monomial |= std::size_t{1} << read_variable();
  }

  int read_variable() {
    const std::size_t start = at_++;
    int index = -1;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9' && index < 1000) {
      index = std::max(index, 0) * 10 + (text_[at_++] - '0');
    }
    if (index < 0 || index >= variables_) {
      throw Error(Errc::usage, "'" + std::string(text_.substr(start, at_ - start)) +
                                   "' is not one of x0 to x" + std::to_string(variables_ - 1));
    }
    return index;
  }

  std::string_view text_;
  int variables_;
  std::size_t at_ = 0;
};

}  // namespace

TruthTable::TruthTable(int variables) : variables_(variables) {
  if (variables < 0 || variables > kMaxVariables) {
    throw Error(Errc::usage, std::to_string(variables) + " variables: 0 to " + std::to_string(kMaxVariables) +
                                 " are possible");
  }
  words_.resize(variables < 6 ? 1 : std::size_t{1} << (variables - 6));
}

TruthTable TruthTable::from_bits(std::string_view text) {
  return from_digits(text, 1, "0 or 1");
}
TruthTable TruthTable::from_hex(std::string_view text) {
  return from_digits(text, 4, "a hexadecimal digit");
}
TruthTable TruthTable::from_polynomial(std::string_view text, int variables) {
  return PolynomialReader(text, variables).read();
}

void TruthTable::set(std::size_t x, bool value) noexcept {
  const std::uint64_t mask = std::uint64_t{1} << (x % 64);
  words_[x / 64] = value ? words_[x / 64] | mask : words_[x / 64] & ~mask;
}

std::string TruthTable::to_bits() const {
  std::string text(size(), '0');
  for (std::size_t x = 0; x < size(); ++x) text[x] = (*this)[x] ? '1' : '0';
  return text;
}

std::string TruthTable::to_hex() const {
  if (variables_ < 2)
    throw Error(Errc::usage, "a hexadecimal digit stands for four values; this function has fewer");
  std::string text;
  for (std::size_t x = 0; x < size(); x += 4) {
    const int digit = (*this)[x] * 8 + (*this)[x + 1] * 4 + (*this)[x + 2] * 2 + (*this)[x + 3];
    text += "0123456789abcdef"[digit];
  }
  return text;
}

TruthTable moebius(TruthTable table) {
  constexpr std::uint64_t kLow[] = {0x5555555555555555u, 0x3333333333333333u, 0x0f0f0f0f0f0f0f0fu,
                                    0x00ff00ff00ff00ffu, 0x0000ffff0000ffffu, 0x00000000ffffffffu};
  auto& words = table.words();
  for (int i = 0; i < std::min(table.variables(), 6); ++i) {
    for (std::uint64_t& word : words) word ^= (word & kLow[i]) << (1 << i);
  }
  for (std::size_t stride = 1; stride < words.size(); stride *= 2) {
    for (std::size_t block = 0; block < words.size(); block += 2 * stride) {
      for (std::size_t i = block; i < block + stride; ++i) words[i + stride] ^= words[i];
    }
  }
  return table;
}

int algebraic_degree(const TruthTable& function) {
  const TruthTable form = moebius(function);
  int degree = 0;
  for (std::size_t m = 0; m < form.size(); ++m) {
    if (form[m]) degree = std::max(degree, std::popcount(m));
  }
  return degree;
}

}  // namespace fugu::spectral
