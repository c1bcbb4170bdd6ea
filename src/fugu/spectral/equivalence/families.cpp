// Families of functions about which theorems say more: power maps, and quadratic APN functions.
#include <utility>

#include "fugu/spectral/equivalence/detail/searches.hpp"
#include "fugu/spectral/sbox/field.hpp"

namespace fugu::spectral::detail {
namespace {

std::uint64_t times(std::uint64_t a, std::uint64_t b, int bits) {
  return a * b % ((std::uint64_t{1} << bits) - 1);
}

// i with 2^i a = b.
std::optional<int> shift_between(std::uint64_t a, std::uint64_t b, int bits) {
  for (int i = 0; i < bits; ++i)
    if (times(a, std::uint64_t{1} << i, bits) == b) return i;
  return std::nullopt;
}

// Of the 2^i k and 2^i / k.
std::uint32_t least_exponent(std::uint32_t k, int bits) {
  std::uint64_t least = k;
  for (std::uint64_t l = 1; l < std::uint64_t{1} << bits; ++l)
    if (shift_between(k, l, bits) || shift_between(times(k, l, bits), 1, bits)) least = std::min(least, l);
  return static_cast<std::uint32_t>(least);
}

// The first field's elements in the second: X becomes a root of the first one's polynomial.
AffineMap isomorphism(const BinaryField& from, const BinaryField& to) {
  const int bits = from.bits();
  for (std::uint32_t root = 2;; ++root) {
    std::uint32_t sum = 0;
    for (int i = 0; i <= bits; ++i)
      if ((from.polynomial() >> i & 1) != 0) sum ^= to.power(root, static_cast<std::uint64_t>(i));
    if (sum != 0) continue;
    AffineMap map{bits, {}, 0};
    for (int i = 0; i < bits; ++i) map.columns.push_back(to.power(root, static_cast<std::uint64_t>(i)));
    return map;
  }
}

// (u, S(u)) -> (phi(S(u)), phi(u)^(2^i))
Witness swapping_witness(const AffineMap& phi, const AffineMap& b) {
  const int n = phi.outputs;
  Witness witness{.relation = Equivalence::ccz, .l = {2 * n, {}, 0}};
  for (const std::uint32_t column : phi.columns) witness.l.columns.push_back(column << n);
  witness.l.columns.insert(witness.l.columns.end(), b.columns.begin(), b.columns.end());
  return witness;
}

}  // namespace

std::vector<std::uint32_t> reduced(std::vector<std::uint32_t> basis) {
  for (std::size_t i = 0; i < basis.size(); ++i) {
    std::ranges::sort(basis.begin() + static_cast<std::ptrdiff_t>(i), basis.end(), std::greater());
    for (std::size_t j = 0; j < basis.size(); ++j)
      if (j != i && (basis[j] & std::bit_floor(basis[i])) != 0) basis[j] ^= basis[i];
  }
  std::ranges::sort(basis);
  return basis;
}

namespace {

using Basis = std::vector<std::uint32_t>;

// W(a, b) of a quadratic almost bent function, b = pi(k) != 0, is 0 if and only if a.k = 1 + b.(S(k) + S(0)).
// So a Walsh-zero space with the projection P to b and the kernel K = {a: (a, 0) in it} has P = pi(U), U the
// orthogonal space of K, and its a, modulo K, are linear in b and solve these equations. All subspaces U are
// tried: 29 212 for 7 variables, 8 283 458 for 9.
class QuadraticZeros {
 public:
  QuadraticZeros(const SBox& box, const SBox& pi, std::size_t most, Budget& budget, std::vector<Basis>& bases)
      : box_(box), pi_(pi), most_(most), budget_(budget), bases_(bases) {}

  // Extends U, whose vectors are span_, by vectors with higher top bits.
  void search(std::uint32_t first_top) {
    if (++looked_ % 4096 == 0) budget_.spend(4096);
    if (bases_.size() >= most_) return;
    if (const Basis p = image_basis(); !p.empty() || u_.empty()) solve(p);
    std::uint32_t pivots = 0;
    for (const std::uint32_t u : u_) pivots |= std::bit_floor(u);
    for (std::uint32_t top = first_top; top < box_.size(); top *= 2) {
      for (std::uint32_t u = top; u < 2 * top; ++u) {
        if ((u & pivots) != 0) continue;
        const std::size_t size = span_.size();
        for (std::size_t i = 0; i < size; ++i) span_.push_back(span_[i] ^ u);
        u_.push_back(u);
        search(2 * top);
        u_.pop_back();
        span_.resize(size);
      }
    }
  }

 private:
  using Equation = std::array<std::uint64_t, 3>;
  static constexpr std::size_t kOne = 128;  // the place of the constant

  // A reduced basis of what pi(U) spans; empty if that has more dimensions than U.
  Basis image_basis() const {
    std::array<std::uint32_t, 32> by_top{};
    std::size_t rank = 0;
    for (const std::uint32_t u : span_) {
      std::uint32_t b = pi_[u];
      while (b != 0) {
        std::uint32_t& other = by_top[static_cast<std::size_t>(std::bit_width(b)) - 1];
        if (other == 0) {
          if (++rank > u_.size()) return {};
          other = b;
        }
        b ^= other;
      }
    }
    Basis basis;
    for (const std::uint32_t b : by_top)
      if (b != 0) basis.push_back(b);
    return reduced(std::move(basis));
  }

  // Unknown i t + j: whether a_i.u_j is 1, where (a_i, b_i) is in the space for the i-th basis vector of P.
  // Both bases are reduced, so a vector's coordinates are its bits at the top bits of the basis.
  void solve(const Basis& p) {
    const std::size_t t = u_.size();
    const std::size_t unknowns = t * t;
    std::vector<Equation> by_pivot(unknowns);
    for (std::size_t at = 1; at < span_.size(); ++at) {
      const std::uint32_t k = span_[at];
      const std::uint32_t b = pi_[k];
      Equation equation{};
      for (std::size_t i = 0; i < t; ++i)
        for (std::size_t j = 0; j < t; ++j)
          if (is_coordinate(b, p[i]) && is_coordinate(k, u_[j])) flip(equation, i * t + j);
      if (std::popcount(b & (box_[k] ^ box_[0])) % 2 == 0) flip(equation, kOne);
      for (std::size_t q = 0; q < unknowns; ++q) {
        if (!has(equation, q)) continue;
        if (!has(by_pivot[q], q)) {
          by_pivot[q] = equation;
          equation = {};
          break;
        }
        for (std::size_t w = 0; w < equation.size(); ++w) equation[w] ^= by_pivot[q][w];
      }
      if (has(equation, kOne)) return;
    }
    choose(p, by_pivot, unknowns, {});
  }

  // From the last unknown on: those without an equation are free.
  void choose(const Basis& p, const std::vector<Equation>& by_pivot, std::size_t left, Equation values) {
    if (bases_.size() >= most_) return;
    if (left == 0) return add(p, values);
    const std::size_t q = left - 1;
    if (has(by_pivot[q], q)) {
      bool value = has(by_pivot[q], kOne);
      for (std::size_t i = left; i < by_pivot.size(); ++i)
        value = value != (has(by_pivot[q], i) && has(values, i));
      if (value) flip(values, q);
      return choose(p, by_pivot, q, values);
    }
    choose(p, by_pivot, q, values);
    flip(values, q);
    choose(p, by_pivot, q, values);
  }

  void add(const Basis& p, const Equation& values) {
    const std::size_t t = u_.size();
    Basis basis;
    for (std::size_t i = 0; i < t; ++i) {
      std::uint32_t a = 0;
      for (std::size_t j = 0; j < t; ++j)
        if (has(values, i * t + j)) a |= std::bit_floor(u_[j]);
      basis.push_back(a << box_.outputs() | p[i]);
    }
    std::uint32_t pivots = 0;
    for (const std::uint32_t u : u_) pivots |= std::bit_floor(u);
    for (std::uint32_t bit = 1; bit < box_.size(); bit *= 2) {  // the orthogonal space of U
      if ((pivots & bit) != 0) continue;
      std::uint32_t a = bit;
      for (const std::uint32_t u : u_)
        if ((u & bit) != 0) a |= std::bit_floor(u);
      basis.push_back(a << box_.outputs());
    }
    bases_.push_back(reduced(std::move(basis)));
  }

  static bool has(const Equation& equation, std::size_t i) { return (equation[i / 64] >> (i % 64) & 1) != 0; }
  static void flip(Equation& equation, std::size_t i) { equation[i / 64] ^= std::uint64_t{1} << (i % 64); }
  static bool is_coordinate(std::uint32_t v, std::uint32_t basis_vector) {
    return (v & std::bit_floor(basis_vector)) != 0;
  }

  const SBox& box_;
  const SBox& pi_;
  std::size_t most_;
  Budget& budget_;
  std::vector<Basis>& bases_;
  Basis u_;
  Basis span_{0};
  std::uint64_t looked_ = 0;
};

}  // namespace

void append_quadratic_zeros(const SBox& box, const SBox& pi, std::size_t most, Budget& budget,
                            std::vector<Basis>& bases) {
  QuadraticZeros(box, pi, most, budget, bases).search(1);
}

std::optional<PowerPair> power_pair(const SBox& s, const SBox& t) {
  const std::optional<PowerMap> from = power_map_of(s);
  const std::optional<PowerMap> to = from ? power_map_of(t) : std::nullopt;
  if (!to) return std::nullopt;
  const int bits = s.inputs();
  const auto image = [&](const AffineMap& phi, int i) {
    AffineMap b = phi;
    for (std::uint32_t& column : b.columns) column = to->field.power(column, std::uint64_t{1} << i);
    return b;
  };
  PowerPair pair{least_exponent(from->exponent, bits), least_exponent(to->exponent, bits), std::nullopt};
  if (pair.k != pair.l) return pair;
  const AffineMap phi = isomorphism(from->field, to->field);
  if (const auto i = shift_between(from->exponent, to->exponent, bits))
    pair.witness = {.relation = Equivalence::linear, .a = inverse(phi), .b = image(phi, *i)};
  else if (const auto j = shift_between(1, times(from->exponent, to->exponent, bits), bits))
    pair.witness = swapping_witness(phi, image(phi, *j));
  if (pair.witness && !holds(*pair.witness, s, t)) pair.witness.reset();
  return pair;
}

}  // namespace fugu::spectral::detail
