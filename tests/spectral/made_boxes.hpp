// S-boxes for tests of agents, by a function of x or at random, and their truth tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral::test {

// Returns the box whose S(x) is the low bits of value(x).
template <class Value>
SBox box_of(int inputs, int outputs, Value value) {
  std::vector<std::uint32_t> values(std::size_t{1} << inputs);
  for (std::uint32_t x = 0; x < values.size(); ++x)
    values[x] = static_cast<std::uint32_t>(value(x)) & ((1u << outputs) - 1);
  return {inputs, outputs, std::move(values)};
}

// Returns the same random box at every call.
inline SBox random_box(int inputs, int outputs) {
  std::mt19937 random(static_cast<unsigned>(inputs + 32 * outputs));
  return box_of(inputs, outputs, [&](std::uint32_t) { return random(); });
}

// Returns the truth tables of the coordinates, one after the other, with 2^bits points each.
inline std::vector<std::uint32_t> coordinate_words(const SBox& box, int bits) {
  const std::size_t words = std::size_t{1} << (bits - 5);
  std::vector<std::uint32_t> result(words * static_cast<std::size_t>(box.outputs()));
  for (std::size_t x = 0; x < std::size_t{1} << bits; ++x) {
    for (int j = 0; j < box.outputs(); ++j)
      result[static_cast<std::size_t>(j) * words + x / 32] |= (box[x % box.size()] >> j & 1) << (x % 32);
  }
  return result;
}

}  // namespace fugu::spectral::test
