// Affine maps between spaces of bits.
#pragma once

#include <cstdint>
#include <vector>

#include "fugu/export.hpp"

namespace fugu::spectral {

// x -> M x + c, of at most 32 bits each: bit i of x is x_i.
struct AffineMap {
  int outputs = 0;
  std::vector<std::uint32_t> columns;  // columns[j] = M(e_j), one per input bit
  std::uint32_t constant = 0;

  int inputs() const { return static_cast<int>(columns.size()); }
  FUGU_EXPORT std::uint32_t operator()(std::uint32_t x) const;

  friend bool operator==(const AffineMap&, const AffineMap&) = default;
};

FUGU_EXPORT bool is_permutation(const AffineMap& map);

// Requires is_permutation(map).
FUGU_EXPORT AffineMap inverse(const AffineMap& map);

}  // namespace fugu::spectral
