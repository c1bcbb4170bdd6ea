// S-boxes for tests of agents, from a function of x or at random.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral::test {

// S(x) is the low bits of value(x).
template <class Value>
SBox box_of(int inputs, int outputs, Value value) {
  std::vector<std::uint32_t> values(std::size_t{1} << inputs);
  for (std::uint32_t x = 0; x < values.size(); ++x)
    values[x] = static_cast<std::uint32_t>(value(x)) & ((1u << outputs) - 1);
  return {inputs, outputs, std::move(values)};
}

// The same one at every call.
inline SBox random_box(int inputs, int outputs) {
  std::mt19937 random(static_cast<unsigned>(inputs + 32 * outputs));
  return box_of(inputs, outputs, [&](std::uint32_t) { return random(); });
}

}  // namespace fugu::spectral::test
