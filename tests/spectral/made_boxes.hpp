// S-boxes for tests, by a function of x or at random, and their truth tables.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "fugu/spectral/sbox/field.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral::test {

// Returns the box whose S(x) is the low bits of value(x).
template <class Value>
SBox box_of(int inputs, int outputs, Value value) {
  const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << outputs) - 1);
  std::vector<std::uint32_t> values(std::size_t{1} << inputs);
  for (std::uint32_t x = 0; x < values.size(); ++x) values[x] = static_cast<std::uint32_t>(value(x)) & mask;
  return {inputs, outputs, std::move(values)};
}

inline SBox random_box(int inputs, int outputs, std::mt19937& random) {
  return box_of(inputs, outputs, [&](std::uint32_t) { return random(); });
}

// Returns the same random box at every call.
inline SBox random_box(int inputs, int outputs) {
  std::mt19937 random(static_cast<unsigned>(inputs + 32 * outputs));
  return random_box(inputs, outputs, random);
}

inline SBox random_permutation(int bits, std::mt19937& random) {
  std::vector<std::uint32_t> values(std::size_t{1} << bits);
  std::iota(values.begin(), values.end(), 0u);
  std::ranges::shuffle(values, random);
  return {bits, bits, std::move(values)};
}

// Returns x -> x^exponent over GF(2^bits).
inline SBox power_box(int bits, std::uint32_t polynomial, std::uint32_t exponent) {
  const BinaryField field(bits, polynomial);
  return box_of(bits, bits, [&](std::uint32_t x) { return field.power(x, exponent); });
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

namespace fugu::spectral {
using namespace test;  // NOLINT(google-global-names-in-headers): fugu::spectral::test
}
