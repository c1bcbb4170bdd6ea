// Degrees by Moebius transforms, equations and annihilators by linear algebra over F_2.
#include "fugu/spectral/sbox/algebra.hpp"

#include "fugu/spectral/detail/check_rows.hpp"
#include "fugu/spectral/detail/gf2.hpp"
#include "fugu/spectral/detail/packed_bits.hpp"
#include "fugu/spectral/sbox/detail/rows.hpp"

namespace fugu::spectral {
namespace {

using Bits = std::vector<std::uint64_t>;

// y_0, y_1, ...
std::vector<Bits> coordinates_of(const SBox& box) {
  std::vector<Bits> coordinates;
  for (int j = 0; j < box.outputs(); ++j)
    coordinates.push_back(component(box, std::uint32_t{1} << j).words());
  return coordinates;
}

// visit(a bit for each factor, the values) for all products of up to `degree` variables, by recursion: each
// is its prefix times one more variable, later than all of the prefix.
template <class Visit>
void for_each_product(const std::vector<Bits>& variables, std::uint64_t monomial, const Bits& product,
                      std::size_t next, int degree, const Visit& visit) {
  visit(monomial, product);
  if (degree == 0) return;
  Bits longer(product.size());
  for (std::size_t v = next; v < variables.size(); ++v) {
    for (std::size_t i = 0; i < product.size(); ++i) longer[i] = product[i] & variables[v][i];
    for_each_product(variables, monomial | std::uint64_t{1} << v, longer, v + 1, degree - 1, visit);
  }
}

// The same, from the product of none, the 1 of `inputs` inputs.
template <class Visit>
void for_each_product(const std::vector<Bits>& variables, int inputs, int degree, const Visit& visit) {
  for_each_product(variables, 0, complement(TruthTable(inputs)).words(), 0, degree, visit);
}

using detail::Dependencies;

// The x_i and y_j at the points (x, S(x)).
std::vector<Bits> variables_of(const SBox& box) {
  std::vector<Bits> variables;
  for (int i = 0; i < box.inputs(); ++i) {
    TruthTable input(box.inputs());
    for (std::size_t x = 0; x < box.size(); ++x) input.set(x, (x >> i & 1) != 0);
    variables.push_back(input.words());
  }
  std::ranges::copy(coordinates_of(box), std::back_inserter(variables));
  return variables;
}

// The same for a box, from the constant 1.
template <class Visit>
void for_each_product(const SBox& box, int degree, const std::stop_token& stop, const Visit& visit) {
  for_each_product(variables_of(box), box.inputs(), degree, [&](Monomial monomial, const Bits& values) {
    detail::throw_if_stopped(stop);
    visit(monomial, values);
  });
}

// The points of a function's support, and the values of monomials there.
class Support {
 public:
  explicit Support(const TruthTable& function) {
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
  std::vector<std::uint32_t> points_;
};

std::uint64_t monomials_of_degree(int variables, int most) {
  std::uint64_t all = 1;
  std::uint64_t of_degree = 1;
  for (int k = 1; k <= most; ++k) {
    of_degree = of_degree * static_cast<std::uint64_t>(variables - k + 1) / static_cast<std::uint64_t>(k);
    all += of_degree;
  }
  return all;
}

// More monomials than points are dependent.
std::uint64_t most_monomials(int variables, int most_degree, std::size_t points) {
  int degree = 0;
  while (degree < most_degree && monomials_of_degree(variables, degree) <= points) ++degree;
  return monomials_of_degree(variables, degree);
}

// The least degree of an annihilator, and the dimension there; most + 1 if none has at most degree `most`.
// A step is a monomial.
Annihilators annihilators_to(const TruthTable& function, int most, const SBoxOptions& options) {
  const Support support(function);
  const Progress done = detail::begun(options, most_monomials(function.variables(), most, support.size()));
  detail::BitBasis basis(support.size());
  Bits values(basis.words());
  for (int degree = 0; degree <= most; ++degree) {
    std::uint64_t dimension = 0;
    for (std::uint64_t monomial = (std::uint64_t{1} << degree) - 1; monomial < function.size();
         monomial = detail::next_of_weight(monomial)) {
      detail::throw_if_stopped(options.stop);
      support.values_of(static_cast<std::uint32_t>(monomial), values);
      if (!basis.add(values)) ++dimension;
      if (done) done(1);
      if (degree == 0) break;
    }
    if (dimension != 0) return {degree, dimension};
  }
  return {most + 1, 0};
}

void check_variables(int variables) {
  detail::require_at_most(kMaxImmunityVariables, variables, "algebraic immunity", "variables");
}

// visit(v, the algebraic normal form of y^v) for all v, in any order.
template <class Visit>
void for_each_form(const SBox& box, const SBoxOptions& options, const Visit& visit) {
  const detail::Workers alone(1, nullptr);
  Bits form;
  for_each_product(coordinates_of(box), box.inputs(), box.outputs(),
                   [&](std::uint64_t v, const Bits& values) {
                     detail::throw_if_stopped(options.stop);
                     form = values;
                     detail::moebius(form, box.inputs(), alone);
                     visit(v, form);
                   });
}

void require_bits(const SBox& box, int most, std::string_view what) {
  detail::require_at_most(most, box.inputs() + box.outputs(), what, "input and output bits");
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
  detail::CoordinateRows<std::uint64_t> forms(box.outputs(), (box.size() + 63) / 64);
  for (std::size_t j = 0; j < static_cast<std::size_t>(box.outputs()); ++j)
    std::ranges::copy(moebius(component(box, std::uint32_t{1} << j)).words(), forms[j].begin());
  std::vector<std::int8_t> degrees(std::size_t{box.last_mask()} + 1, -1);
  const detail::Workers alone(1, nullptr);
  const auto make = [&] {
    return [&, form = detail::ComponentRow(forms)](std::size_t b) mutable {
      form.step_to(static_cast<std::uint32_t>(b));
      degrees[b] = static_cast<std::int8_t>(detail::degree_of_form(form.row(), alone));
    };
  };
  detail::for_each_row(1, degrees.size(), forms.words(), options, make);
  return degrees;
}

TruthTable complement(TruthTable function) {
  for (std::uint64_t& word : function.words()) word = ~word;
  return {function.variables(), std::move(function.words())};
}

bool has_equations(const SBox& box, int degree) {
  constexpr int kMaxBits[] = {kMaxInputs + kMaxOutputs, 24, 20};
  return box.inputs() + box.outputs() <= kMaxBits[degree - 1];
}

std::uint64_t equations(const SBox& box, int degree, const SBoxOptions& options) {
  detail::BitBasis basis(box.size());
  std::uint64_t dependent = 0;
  Bits work;
  for_each_product(box, degree, options.stop, [&](Monomial, const Bits& values) {
    work = values;
    if (!basis.add(work)) ++dependent;
  });
  return dependent;
}

std::vector<std::vector<Monomial>> equation_basis(const SBox& box, int degree, const SBoxOptions& options) {
  std::vector<Monomial> monomials;
  const std::uint64_t products = monomials_of_degree(box.inputs() + box.outputs(), degree);
  Dependencies dependencies(box.size(), static_cast<std::size_t>(products));
  std::vector<std::vector<Monomial>> equations;
  for_each_product(box, degree, options.stop, [&](Monomial monomial, const Bits& values) {
    monomials.push_back(monomial);
    std::vector<Monomial> equation;
    for (const std::size_t i : dependencies.add(values)) equation.push_back(monomials[i]);
    if (!equation.empty()) equations.push_back(std::move(equation));
  });
  return equations;
}

std::string equation_text(const std::vector<Monomial>& equation, int inputs) {
  std::string text;
  for (const Monomial monomial : equation) {
    if (!text.empty()) text += " + ";
    if (monomial == 0) text += "1";
    for (Monomial rest = monomial; rest != 0; rest &= rest - 1) {
      const int bit = std::countr_zero(rest);
      if (rest != monomial) text += ' ';
      text += bit < inputs ? "x" + std::to_string(bit) : "y" + std::to_string(bit - inputs);
    }
  }
  return text;
}

Annihilators annihilators(const TruthTable& function, const SBoxOptions& options) {
  check_variables(function.variables());
  return annihilators_to(function, function.variables(), options);
}

// For a balanced function about 2^(n-1) rows of 2^(n-1) bits, each reduced by up to 2^(n-1) others.
double annihilator_seconds(int variables) {
  return 1e-13 * std::exp2(3 * variables);
}

std::vector<TruthTable> annihilator_basis(const TruthTable& function, const SBoxOptions& options) {
  const Annihilators found = annihilators(function, options);
  if (found.dimension == 0) return {};
  const Support support(function);
  Dependencies dependencies(support.size(), function.size());
  std::vector<std::uint32_t> monomials;
  std::vector<TruthTable> basis;
  const Progress done = detail::begun(options, monomials_of_degree(function.variables(), found.degree));
  Bits values((support.size() + 63) / 64);
  for (std::uint32_t monomial = 0; monomial < function.size(); ++monomial) {
    if (std::popcount(monomial) > found.degree) continue;
    detail::throw_if_stopped(options.stop);
    monomials.push_back(monomial);
    support.values_of(monomial, values);
    TruthTable form(function.variables());
    for (const std::size_t i : dependencies.add(values)) form.set(monomials[i], true);
    if (form != TruthTable(function.variables())) basis.push_back(moebius(std::move(form)));
    if (done) done(1);
  }
  return basis;
}

// The degree is at most (n + 1) / 2 (Courtois and Meier 2003), and the second search need not go beyond the
// first's result.
int algebraic_immunity(const TruthTable& function, const SBoxOptions& options) {
  check_variables(function.variables());
  const SBoxOptions alone{.threads = 1, .stop = options.stop};
  const int bound = (function.variables() + 1) / 2;
  const int first = annihilators_to(function, bound, alone).degree;
  if (first == 0) return 0;
  return annihilators_to(complement(function), std::min(first, bound) - 1, alone).degree;
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
  detail::for_each_row(1, immunities.size(), 64 * box.size(), options, make);
  Histogram result;
  for (std::size_t b = 1; b < immunities.size(); ++b) ++result[immunities[b]];
  return result;
}

std::vector<std::int64_t> division_trails(const SBox& box, const SBoxOptions& options) {
  require_bits(box, kMaxTrailBits, "division trails");
  const int inputs = box.inputs(), bits = inputs + box.outputs();
  const std::size_t size = std::size_t{1} << bits;
  std::vector<std::uint8_t> reached(size);  // at v * N + u: by this v; after the loop, by one <= v
  for_each_form(box, options, [&](std::uint64_t v, const Bits& form) {
    for (std::size_t w = 0; w < box.size(); ++w) reached[v << inputs | w] = form[w / 64] >> (w % 64) & 1;
  });
  for (int i = 0; i < bits; ++i) {
    const std::size_t bit = std::size_t{1} << i;
    for (std::size_t k = 0; k < size; ++k) {
      if ((k & bit) == 0) reached[i < inputs ? k : k | bit] |= reached[i < inputs ? k | bit : k];
    }
  }
  std::vector<std::int64_t> trails(size);
  for (std::size_t k = 0; k < size; ++k) {
    bool least = reached[k] != 0;
    for (std::size_t v = k >> inputs; v != 0; v &= v - 1)
      least = least && reached[k ^ (v & -v) << inputs] == 0;
    trails[(k & (box.size() - 1)) << box.outputs() | k >> inputs] = least ? 1 : 0;
  }
  return trails;
}

std::vector<std::uint64_t> product_degrees(const SBox& box, const SBoxOptions& options) {
  require_bits(box, kMaxProductBits, "degrees of products");
  std::vector<std::uint64_t> degrees(static_cast<std::size_t>(box.outputs()));
  for_each_form(box, options, [&](std::uint64_t v, const Bits& form) {
    if (v == 0) return;
    const int degree = std::max(0, detail::degree_of_form(form, {1, nullptr}));
    std::uint64_t& most = degrees[static_cast<std::size_t>(std::popcount(v)) - 1];
    most = std::max(most, static_cast<std::uint64_t>(degree));
  });
  for (std::size_t k = 1; k < degrees.size(); ++k) degrees[k] = std::max(degrees[k], degrees[k - 1]);
  return degrees;
}

}  // namespace fugu::spectral
