// The summary of a component, computed from the findings about its spectrum.
#pragma once

#include "fugu/core/hd.hpp"
#include "kernels/sbox/component_launch.hpp"
#include "kernels/walsh/moebius_agent.hpp"

namespace fugu::kernels {

FUGU_HD ComponentFindings findings_of(const ComponentFindings& found) {
  return found;
}
FUGU_HD ComponentFindings findings_of(const WideFindings& found) {
  return {2 * static_cast<std::uint32_t>(found.peak >> 32), kNoInput - static_cast<std::uint32_t>(found.peak),
          found.nonzero, found.lightest, found.balanced};
}

// `scale` is the factor by which W is too large because the box was treated as a larger one.
FUGU_HD ComponentSummary summary_of(const ComponentFindings& found, int inputs, std::uint32_t scale) {
  const std::uint64_t largest = found.largest / scale, size = std::uint64_t{1} << inputs;
  const int weight = found.lightest == kNoWeight ? inputs + 1 : static_cast<int>(found.lightest);
  ComponentSummary summary{};
  summary.largest = static_cast<std::uint32_t>(largest);
  summary.correlation_immunity = static_cast<std::int8_t>(weight - 1);
  summary.balanced = found.balanced != 0 ? 1 : 0;
  summary.plateaued = found.nonzero * largest * largest == size * size ? 1 : 0;  // Parseval
  return summary;
}

}  // namespace fugu::kernels
