// The algebraic degree of a component. Its normal form is the sum of its coordinates' normal forms.
#pragma once

#include "kernels/sbox/box_agent.hpp"
#include "kernels/sbox/component_launch.hpp"
#include "kernels/walsh/moebius_agent.hpp"

namespace fugu::kernels {

// Returns the degree of component `mask`; -1 for 0. Words of large weight are read first, so that a large
// degree takes few of them.
FUGU_HD int component_degree(const ComponentDegrees& all, std::uint32_t mask) {
  std::uint32_t degree_and_1 = 0;
  for (std::uint32_t i = 0; i < all.words; ++i) {
    const std::uint32_t index = all.order[i];
    if (static_cast<std::uint32_t>(ones(index)) + 6 <= degree_and_1) break;
    const Parity word{combined_word(all.forms, all.words, all.outputs, mask, index)};
    const std::uint32_t here = degree_and_one(index, word, ~std::uint32_t{0});
    if (here > degree_and_1) degree_and_1 = here;
  }
  return static_cast<int>(degree_and_1) - 1;
}

}  // namespace fugu::kernels
