// Truth tables from and to text and polynomials.
#include "fugu/spectral/truth_table.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "fugu/error.hpp"
#include "fugu/spectral/detail/moebius.hpp"
#include "fugu/spectral/digits.hpp"

namespace fugu::spectral {
namespace {

bool separates_terms(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0 || c == '_';
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
    while (at_ < text_.size() && separates_terms(text_[at_])) ++at_;
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
        if (at_ == text_.size()) break;  // read_factor() reports what is missing
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
      return end_constant();
    }
    if (text_[at_] != 'x') refuse(text_, at_, "0, 1 or a variable x0, x1, ...");
    monomial |= std::size_t{1} << read_variable();
  }

  // Refuses "10x0" and "11", which are ambiguous: a number or a product.
  void end_constant() const {
    const bool ends = at_ == text_.size() || separates_terms(text_[at_]) ||
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

}  // namespace

TruthTable::TruthTable(int variables) : variables_(variables) {
  if (variables < 0 || variables > kMaxVariables) {
    throw Error(Errc::usage, std::to_string(variables) + " variables: 0 to " + std::to_string(kMaxVariables) +
                                 " are possible");
  }
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

}  // namespace fugu::spectral
