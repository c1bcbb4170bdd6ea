#include "fugu/spectral/equivalence/detail/searches.hpp"

#include <algorithm>

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
