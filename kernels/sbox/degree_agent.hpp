// The algebraic degree of a component: its normal form is the sum of its coordinates' forms.
#pragma once

#include "kernels/sbox/sbox_launch.hpp"
#include "kernels/walsh/moebius_agent.hpp"

namespace fugu::kernels {

// Words of large weight come first, so that few of them are read where the degree is large.
FUGU_HD int component_degree(const ComponentDegrees& all, std::uint32_t mask) {
  std::uint32_t degree_and_1 = 0;
  for (std::uint32_t i = 0; i < all.words; ++i) {
    const std::uint32_t index = all.order[i];
    if (static_cast<std::uint32_t>(ones(index)) + 6 <= degree_and_1) break;
    Parity word{0};
    for (int j = 0; j < all.outputs; ++j)
      word.bits ^= all.forms[static_cast<std::size_t>(j) * all.words + index] & (0 - (mask >> j & 1));
    const std::uint32_t here = degree_and_one(index, word, ~std::uint32_t{0});
    if (here > degree_and_1) degree_and_1 = here;
  }
  return static_cast<int>(degree_and_1) - 1;
}

}  // namespace fugu::kernels
