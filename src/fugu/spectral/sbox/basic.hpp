// Properties of an S-box's values: collisions, fixed points, cycles.
#pragma once

#include <optional>
#include <utility>

#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral {

struct Cycles {
  Histogram lengths;
  std::string order;  // least common multiple of the lengths, decimal: it may exceed 64 bits
  bool odd = false;   // the permutation's parity
  bool involution = false;
};

struct Basic {
  std::uint64_t image = 0;                                                 // distinct values
  std::uint64_t collisions = 0;                                            // pairs x < y with S(x) = S(y)
  std::optional<std::pair<std::uint32_t, std::uint32_t>> first_collision;  // smallest x, then smallest y
  bool balanced = false;  // each of the 2^m values is taken equally often
  bool permutation = false;
  std::optional<std::uint64_t> fixed;      // S(x) = x; n = m only
  std::optional<std::uint64_t> antifixed;  // S(x) = ~x; n = m only
  std::optional<Cycles> cycles;            // of a permutation
};

FUGU_EXPORT Basic basic(const SBox& box);

}  // namespace fugu::spectral
