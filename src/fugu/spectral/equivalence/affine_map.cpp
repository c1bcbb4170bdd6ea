#include "fugu/spectral/equivalence/affine_map.hpp"

#include "fugu/spectral/equivalence/detail/linear_pairs.hpp"

namespace fugu::spectral {

std::uint32_t AffineMap::operator()(std::uint32_t x) const {
  std::uint32_t y = constant;
  for (std::size_t j = 0; j < columns.size(); ++j)
    if ((x >> j & 1) != 0) y ^= columns[j];
  return y;
}

namespace {

// M(e_j) -> e_j. Rank below the inputs: M is no injection.
detail::LinearPairs inverse_pairs(const AffineMap& map) {
  detail::LinearPairs pairs;
  for (std::size_t j = 0; j < map.columns.size(); ++j) pairs.add(map.columns[j], std::uint32_t{1} << j);
  return pairs;
}

}  // namespace

bool is_permutation(const AffineMap& map) {
  return map.inputs() == map.outputs && inverse_pairs(map).rank() == map.inputs();
}

AffineMap inverse(const AffineMap& map) {
  AffineMap inverse = inverse_pairs(map).map(map.outputs);
  inverse.constant = inverse(map.constant);
  return inverse;
}

}  // namespace fugu::spectral
