// The summary of a component from the findings about its spectrum, and its algebraic degree.
#pragma once

#include "kernels/sbox/box_agent.hpp"
#include "kernels/sbox/sbox_launch.hpp"
#include "kernels/walsh/moebius_agent.hpp"

namespace fugu::kernels {

// `scale` is the factor by which W is too large because the box was treated as a larger one.
FUGU_HD ComponentSummary summary_of(const ComponentFindings& found, int inputs, std::uint32_t scale) {
  const std::uint64_t largest = largest_of(found) / scale, size = std::uint64_t{1} << inputs;
  const int weight = found.lightest == kNoWeight ? inputs + 1 : static_cast<int>(found.lightest);
  ComponentSummary summary{};
  summary.largest = static_cast<std::uint32_t>(largest);
  summary.correlation_immunity = static_cast<std::int8_t>(weight - 1);
  summary.balanced = found.balanced != 0 ? 1 : 0;
  summary.plateaued = found.nonzero * largest * largest == size * size ? 1 : 0;  // Parseval
  return summary;
}

// Returns the degree of component `mask`; -1 for 0. Its normal form is the sum of its coordinates' normal
// forms. Words of large weight are read first, so that few of them are read if the degree is large.
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
