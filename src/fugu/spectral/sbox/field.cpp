// Fields by logarithms, interpolation, and polynomials read from text and evaluated at all points at once.
#include "fugu/spectral/sbox/field.hpp"

#include <charconv>

#include "fugu/spectral/detail/check_rows.hpp"
#include "fugu/spectral/detail/gf2.hpp"
#include "fugu/spectral/sbox/detail/rows.hpp"

namespace fugu::spectral {
namespace {

constexpr std::uint32_t kPolynomials[] = {0x3,    0x7,     0xb,     0x13,    0x25,    0x43,    0x83,
                                          0x11d,  0x211,   0x409,   0x805,   0x1053,  0x201b,  0x402b,
                                          0x8003, 0x1002d, 0x20009, 0x40081, 0x80027, 0x100009};

// By trial division, of polynomials over GF(2).
bool is_irreducible(std::uint32_t polynomial, int degree) {
  for (std::uint32_t divisor = 2; divisor >> (degree / 2 + 1) == 0; ++divisor) {
    std::uint32_t rest = polynomial;
    while (std::bit_width(rest) >= std::bit_width(divisor))
      rest ^= divisor << (std::bit_width(rest) - std::bit_width(divisor));
    if (rest == 0) return false;
  }
  return true;
}

using Values = std::vector<std::uint32_t>;  // values of an expression at every x

class PolynomialReader {
 public:
  PolynomialReader(std::string_view text, const BinaryField& field) : text_(text), field_(field) {}

  Values read() {
    Values values = sum();
    if (at_ != text_.size()) refuse(depth_ == 0 && text_[at_] == ')' ? "')' opens nowhere" : unexpected());
    return values;
  }

 private:
  static constexpr int kMaxDepth = 100;

  std::size_t size() const { return std::size_t{1} << field_.bits(); }

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(Errc::usage, "the polynomial, character " + std::to_string(at_ + 1) + ": " + what);
  }
  std::string unexpected() const {
    return at_ == text_.size() ? "it ends too early" : "'" + std::string(1, text_[at_]) + "' is not expected";
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }
  bool take(std::string_view word) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    skip_blanks();
    return true;
  }
  bool is_digit() const { return at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; }

  std::uint64_t number() {
    const bool hexadecimal = text_.substr(at_).starts_with("0x");
    const char* const first = text_.data() + at_ + (hexadecimal ? 2 : 0);
    std::uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(first, text_.data() + text_.size(), value, hexadecimal ? 16 : 10);
    if (error != std::errc()) refuse("not a number of at most 64 bits");
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  // x^0 is 1 also at 0.
  Values raised(Values values) {
    if (!take("^") && !take("**")) return values;
    const bool bracketed = take("(");
    const bool negative = take("-");
    std::uint64_t exponent = number();
    if (bracketed && !take(")")) refuse(unexpected());
    const std::uint64_t order = size() - 1;
    if (negative) exponent = exponent == 0 ? 0 : order - exponent % order;
    for (std::uint32_t& value : values) value = field_.power(value, exponent);
    return values;
  }

  std::uint32_t element() {
    const std::uint64_t value = number();
    if (value >> field_.bits() != 0)
      refuse("a coefficient does not fit " + std::to_string(field_.bits()) + " bits");
    return static_cast<std::uint32_t>(value);
  }

  Values nested() {
    if (++depth_ > kMaxDepth) refuse("more than " + std::to_string(kMaxDepth) + " parentheses are open");
    Values values = sum();
    if (!take(")")) refuse(unexpected());
    --depth_;
    return values;
  }

  Values trace(Values values) {
    const Values all = values;
    for (int i = 1; i < field_.bits(); ++i) {
      for (std::size_t x = 0; x < values.size(); ++x)
        values[x] = all[x] ^ field_.product(values[x], values[x]);
    }
    return values;
  }

  Values variable() {
    if (is_digit()) refuse("a power is written x^" + std::string(1, text_[at_]));
    Values values(size());
    for (std::uint32_t x = 0; x < values.size(); ++x) values[x] = x;
    return values;
  }

  // X is 1 in GF(2) modulo X + 1.
  Values generator() {
    while (is_digit()) ++at_;  // the 8 of z8
    return Values(size(), field_.bits() == 1 ? 1 : 2);
  }

  std::optional<Values> factor() {
    skip_blanks();
    if (is_digit()) return raised(Values(size(), element()));
    if (take("Tr(") || take("tr(")) return raised(trace(nested()));
    if (take("(")) return raised(nested());
    if (at_ == text_.size()) return std::nullopt;
    const char letter = text_[at_];
    if (letter == 'x' || letter == 'X') return ++at_, raised(variable());
    if (std::string_view("gawz").find(letter) != std::string_view::npos) return ++at_, raised(generator());
    return std::nullopt;
  }

  Values product() {
    std::optional<Values> values = factor();
    if (!values) refuse(unexpected());
    for (;;) {
      const bool joined = take("*");
      const std::optional<Values> next = factor();
      if (!next && joined) refuse(unexpected());
      if (!next) return *std::move(values);
      for (std::size_t x = 0; x < size(); ++x) (*values)[x] = field_.product((*values)[x], (*next)[x]);
    }
  }

  Values sum() {
    Values values = product();
    while (take("+")) {
      const Values next = product();
      std::ranges::transform(values, next, values.begin(), std::bit_xor());
    }
    return values;
  }

  std::string_view text_;
  const BinaryField& field_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

BinaryField::BinaryField(int bits, std::uint32_t polynomial) : bits_(bits), polynomial_(polynomial) {
  if (bits < 1 || bits > kMaxInputs) {
    throw Error(Errc::usage, "a field of 2^" + std::to_string(bits) + " elements: 2^1 to 2^" +
                                 std::to_string(kMaxInputs) + " are possible");
  }
  const std::uint32_t size = std::uint32_t{1} << bits;
  if (polynomial >> bits != 1) {
    throw Error(Errc::usage, "the polynomial is not of degree " + std::to_string(bits) +
                                 ", which a field of 2^" + std::to_string(bits) + " elements needs");
  }
  if (!is_irreducible(polynomial, bits)) throw Error(Errc::usage, "the polynomial is not irreducible");
  // In a field some element's powers are all nonzero elements.
  for (std::uint32_t generator = 1; powers_.size() != size - 1; ++generator) {
    powers_.assign(1, 1);
    for (std::uint32_t x = generator; x > 1; x = detail::field_product(x, generator, polynomial, bits))
      powers_.push_back(x);
  }
  logs_.assign(size, 0);
  for (std::uint32_t i = 0; i < powers_.size(); ++i) logs_[powers_[i]] = i;
}

std::uint32_t BinaryField::product(std::uint32_t a, std::uint32_t b) const {
  if (a == 0 || b == 0) return 0;
  return powers_[(logs_[a] + logs_[b]) % powers_.size()];
}

std::uint32_t BinaryField::power(std::uint32_t a, std::uint64_t exponent) const {
  if (exponent == 0) return 1;
  return a == 0 ? 0
                : powers_[static_cast<std::size_t>(logs_[a] * (exponent % powers_.size()) % powers_.size())];
}

std::uint32_t BinaryField::exponent_of(const SBox& box) const {
  const std::size_t order = powers_.size();
  if (box[0] != 0 || order == 1) return 0;
  const std::uint32_t exponent = logs_[box[powers_[1]]];
  for (std::size_t i = 0; i < order; ++i)
    if (box[powers_[i]] != powers_[i * exponent % order]) return 0;
  return exponent;
}

std::optional<PowerMap> power_map_of(const SBox& box) {
  const int bits = box.inputs();
  if (bits != box.outputs() || box[0] != 0 || box[1] != 1) return std::nullopt;
  const auto of_field = [&](std::uint32_t polynomial) -> std::optional<PowerMap> {
    const BinaryField field(bits, polynomial);
    const std::uint32_t exponent = field.exponent_of(box);
    return exponent == 0 ? std::nullopt : std::optional(PowerMap{field, exponent});
  };
  if (auto found = of_field(usual_polynomial(bits))) return found;
  const std::uint32_t top = std::uint32_t{1} << bits;
  for (std::uint32_t polynomial = top + 1; bits <= kMaxInterpolatedBits && polynomial < 2 * top;
       polynomial += 2)
    if (is_irreducible(polynomial, bits))
      if (auto found = of_field(polynomial)) return found;
  return std::nullopt;
}

std::uint32_t usual_polynomial(int bits) {
  return kPolynomials[bits - 1];
}

void require_square(const SBox& box, const BinaryField& field, int most, std::string_view what) {
  if (box.inputs() != box.outputs())
    throw Error(Errc::usage, "a polynomial over a field needs as many outputs as inputs");
  if (box.inputs() != field.bits())
    throw Error(Errc::usage, "a field of 2^" + std::to_string(field.bits()) + " elements for " +
                                 std::to_string(box.inputs()) + " inputs");
  detail::require_at_most(most, box.inputs(), what, "inputs");
}

// c_k is the sum over x of S(x) x^(2^n - 1 - k), except that c_0 is S(0): x^(2^n - 1) is 1 for all x but 0.
std::vector<std::uint32_t> univariate(const SBox& box, const BinaryField& field) {
  require_square(box, field, kMaxInterpolatedBits, "the polynomial");
  const std::size_t last = box.size() - 1;
  std::vector<std::uint32_t> coefficients(box.size());
  coefficients[0] = box[0];
  for (std::size_t k = 1; k <= last; ++k) {
    for (std::uint32_t x = 0; x <= last; ++x)
      coefficients[k] ^= field.product(box[x], field.power(x, last - k));
  }
  return coefficients;
}

SBox box_of_polynomial(std::string_view text, const BinaryField& field) {
  return {field.bits(), field.bits(), PolynomialReader(text, field).read()};
}

}  // namespace fugu::spectral
