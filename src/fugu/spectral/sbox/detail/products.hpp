// Products of functions of the same inputs, packed as TruthTable's words are. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fugu/spectral/sbox/algebra.hpp"

namespace fugu::spectral::detail {

using Bits = std::vector<std::uint64_t>;

// y_0, y_1, ...
inline std::vector<Bits> coordinates_of(const SBox& box) {
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

}  // namespace fugu::spectral::detail
