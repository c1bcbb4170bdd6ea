// Degrees by Moebius transforms, equations and annihilators by linear algebra over F_2, interpolation.
#include "fugu/spectral/sbox/algebra.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "fugu/error.hpp"
#include "fugu/spectral/sbox/detail/gf2.hpp"
#include "fugu/spectral/sbox/detail/rows.hpp"

namespace fugu::spectral {

namespace {

// Positions 0 to 63 of weight 0 to 6.
constexpr std::uint64_t kOfWeight[] = {0x0000000000000001u, 0x0000000100010116u, 0x0001011601161668u,
                                       0x0116166816686880u, 0x1668688068808000u, 0x6880800080000000u,
                                       0x8000000000000000u};

int degree_of_form(const TruthTable& form) {
  int degree = -1;
  for (std::size_t i = 0; i < form.words().size(); ++i) {
    const std::uint64_t word = form.words()[i];
    if (word == 0) continue;
    const int above = std::popcount(i);
    int within = std::max(degree - above, -1);
    for (int weight = 6; weight > within; --weight) {
      if ((word & kOfWeight[weight]) != 0) within = weight;
    }
    degree = std::max(degree, above + within);
  }
  return degree;
}

}  // namespace

int degree(const SBox& box) {
  int largest = -1;
  for (int j = 0; j < box.outputs(); ++j)
    largest = std::max(largest, algebraic_degree(component(box, std::uint32_t{1} << j), {.threads = 1}));
  return largest;
}

std::vector<std::int8_t> component_degrees(const SBox& box, const SBoxOptions& options) {
  detail::require_all_components(box);
  // The form of a sum is the sum of the forms.
  std::vector<TruthTable> forms;
  for (int j = 0; j < box.outputs(); ++j) forms.push_back(moebius(component(box, std::uint32_t{1} << j)));
  std::vector<std::int8_t> degrees(std::size_t{box.last_mask()} + 1, -1);
  const auto make = [&] {
    return [&, sum = TruthTable(box.inputs()), mask = std::size_t{0}](std::size_t b) mutable {
      for (std::size_t change = b ^ mask; change != 0; change &= change - 1) {
        const auto& words = forms[static_cast<std::size_t>(std::countr_zero(change))].words();
        std::ranges::transform(sum.words(), words, sum.words().begin(), std::bit_xor());
      }
      mask = b;
      degrees[b] = static_cast<std::int8_t>(degree_of_form(sum));
    };
  };
  detail::for_each_row(1, degrees.size(), forms[0].words().size(), options, make, [](const auto&) {});
  return degrees;
}

namespace {

using Bits = std::vector<std::uint64_t>;

// Products of up to `degree` variables, one at a time by recursion: each is its prefix times one more
// variable, later than all of the prefix.
class Relations {
 public:
  Relations(std::vector<Bits> variables, std::size_t points, std::stop_token stop)
      : variables_(std::move(variables)), basis_(points), work_((points + 63) / 64), stop_(std::move(stop)) {}

  std::uint64_t count(int degree, std::size_t points) {
    Bits one(work_.size(), ~std::uint64_t{0});
    if (points % 64 != 0) one.back() = (std::uint64_t{1} << (points % 64)) - 1;
    add_products(one, 0, degree);
    return dependent_;
  }

 private:
  void add_products(const Bits& product, std::size_t next, int degree) {
    detail::throw_if_stopped(stop_);
    work_ = product;
    if (!basis_.add(work_)) ++dependent_;
    if (degree == 0) return;
    Bits longer(product.size());
    for (std::size_t v = next; v < variables_.size(); ++v) {
      for (std::size_t i = 0; i < product.size(); ++i) longer[i] = product[i] & variables_[v][i];
      add_products(longer, v + 1, degree - 1);
    }
  }

  std::vector<Bits> variables_;
  detail::BitBasis basis_;
  Bits work_;
  std::stop_token stop_;
  std::uint64_t dependent_ = 0;
};

// The points of a function's support, and the values of monomials there.
class Support {
 public:
  explicit Support(const TruthTable& function) : variables_(function.variables()) {
    for (std::size_t x = 0; x < function.size(); ++x) {
      if (function[x]) points_.push_back(static_cast<std::uint32_t>(x));
    }
  }

  std::size_t size() const { return points_.size(); }

  void values_of(std::uint32_t monomial, std::span<std::uint64_t> into) const {
    std::ranges::fill(into, 0);
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const std::uint64_t value = (points_[i] & monomial) == monomial ? 1 : 0;
      into[i / 64] |= value << (i % 64);
    }
  }

 private:
  int variables_;
  std::vector<std::uint32_t> points_;
};

// The next larger number of the same weight.
std::uint32_t next_of_weight(std::uint32_t mask) {
  const std::uint32_t lowest = mask & (0 - mask);
  const std::uint32_t ripple = mask + lowest;
  return ripple | ((mask ^ ripple) >> 2) / lowest;
}

// Those of degree at most `most`; if none are found: degree most + 1.
Annihilators annihilators_to(const TruthTable& function, int most, const std::stop_token& stop) {
  const Support support(function);
  detail::BitBasis basis(support.size());
  Bits values(basis.words());
  const auto size = static_cast<std::uint32_t>(function.size());
  for (int degree = 0; degree <= most; ++degree) {
    std::uint64_t dimension = 0;
    for (std::uint32_t monomial = (std::uint32_t{1} << degree) - 1; monomial < size;
         monomial = next_of_weight(monomial)) {
      detail::throw_if_stopped(stop);
      support.values_of(monomial, values);
      if (!basis.add(values)) ++dimension;
      if (degree == 0) break;
    }
    if (dimension != 0) return {degree, dimension};
  }
  return {most + 1, 0};
}

TruthTable complement(TruthTable function) {
  const std::uint64_t used =
      function.variables() < 6 ? (std::uint64_t{1} << function.size()) - 1 : ~std::uint64_t{0};
  for (std::uint64_t& word : function.words()) word ^= used;
  return function;
}

void check_variables(int variables) {
  if (variables <= kMaxImmunityVariables) return;
  throw Error(Errc::usage, "algebraic immunity of " + std::to_string(variables) + " variables: at most " +
                               std::to_string(kMaxImmunityVariables) + " are possible");
}

}  // namespace

bool has_equations(const SBox& box, int degree) {
  constexpr int kMostBits[] = {kMaxInputs + kMaxOutputs, 24, 20};
  return box.inputs() + box.outputs() <= kMostBits[degree - 1];
}

std::uint64_t equations(const SBox& box, int degree, const SBoxOptions& options) {
  std::vector<Bits> variables;
  for (int i = 0; i < box.inputs(); ++i) {
    TruthTable input(box.inputs());
    for (std::size_t x = 0; x < box.size(); ++x) input.set(x, (x >> i & 1) != 0);
    variables.push_back(input.words());
  }
  for (int j = 0; j < box.outputs(); ++j) variables.push_back(component(box, std::uint32_t{1} << j).words());
  return Relations(std::move(variables), box.size(), options.stop).count(degree, box.size());
}

Annihilators annihilators(const TruthTable& function, const SBoxOptions& options) {
  check_variables(function.variables());
  return annihilators_to(function, function.variables(), options.stop);
}

// The degree is at most (n + 1) / 2 (Courtois and Meier 2003), and the second search need not go beyond the
// first's result.
int algebraic_immunity(const TruthTable& function, const SBoxOptions& options) {
  check_variables(function.variables());
  const int bound = (function.variables() + 1) / 2;
  const int first = annihilators_to(function, bound, options.stop).degree;
  if (first == 0) return 0;
  return annihilators_to(complement(function), std::min(first, bound) - 1, options.stop).degree;
}

Histogram component_immunities(const SBox& box, const SBoxOptions& options) {
  detail::require_all_components(box);
  std::vector<std::int8_t> immunities(std::size_t{box.last_mask()} + 1);
  const auto make = [&] {
    return [&](std::size_t b) {
      immunities[b] = static_cast<std::int8_t>(
          algebraic_immunity(component(box, static_cast<std::uint32_t>(b)), options));
    };
  };
  detail::for_each_row(1, immunities.size(), 64 * box.size(), options, make, [](const auto&) {});
  Histogram result;
  for (std::size_t b = 1; b < immunities.size(); ++b) ++result[immunities[b]];
  return result;
}

// In a field some element's powers are all nonzero elements; modulo a reducible polynomial none's are.
BinaryField::BinaryField(int bits, std::uint32_t polynomial) {
  if (bits < 1 || bits > kMaxFieldBits) {
    throw Error(Errc::usage, "a field of 2^" + std::to_string(bits) + " elements: 2^1 to 2^" +
                                 std::to_string(kMaxFieldBits) + " are possible");
  }
  const std::uint32_t size = std::uint32_t{1} << bits;
  if (polynomial >> bits != 1) {
    throw Error(Errc::usage, "a polynomial of degree " + std::to_string(bits) + " is needed for " +
                                 std::to_string(bits) + " bits");
  }
  for (std::uint32_t generator = 1; generator < size; ++generator) {
    powers_.assign(1, 1);
    for (std::uint32_t x = generator; x > 1 && powers_.size() < size;
         x = detail::field_product(x, generator, polynomial, bits))
      powers_.push_back(x);
    if (powers_.size() != size - 1) continue;
    logs_.assign(size, 0);
    for (std::uint32_t i = 0; i < powers_.size(); ++i) logs_[powers_[i]] = i;
    return;
  }
  throw Error(Errc::usage, "the polynomial is not irreducible");
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

// c_k is the sum over x of S(x) x^(2^n - 1 - k), except that c_0 is S(0): x^(2^n - 1) is 1 for all x but 0.
std::vector<std::uint32_t> univariate(const SBox& box, const BinaryField& field) {
  if (box.inputs() != box.outputs())
    throw Error(Errc::usage, "a polynomial over a field needs as many outputs as inputs");
  const std::size_t last = box.size() - 1;
  std::vector<std::uint32_t> coefficients(box.size());
  coefficients[0] = box[0];
  for (std::size_t k = 1; k <= last; ++k) {
    for (std::uint32_t x = 0; x <= last; ++x)
      coefficients[k] ^= field.product(box[x], field.power(x, last - k));
  }
  return coefficients;
}

}  // namespace fugu::spectral
