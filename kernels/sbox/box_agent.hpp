// One thread's work on a box's values: coordinates as packed truth tables, and the effect of single input
// bits.
#pragma once

#include "fugu/core/hd.hpp"
#include "kernels/walsh/moebius_agent.hpp"

namespace fugu::kernels {

// Extends the sign: a negative value has bits above every output.
template <class T>
FUGU_HD std::uint64_t bits_of_value(T value) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

// Returns word w of coordinate j. A box of `size` values is repeated to fill the words.
template <class T>
FUGU_HD std::uint32_t coordinate_word(const T* values, std::uint32_t size, int j, std::uint32_t w) {
  std::uint32_t word = 0;
  for (std::uint32_t i = 0; i < 32; ++i)
    word |= static_cast<std::uint32_t>(values[(32 * w + i) & (size - 1)] >> j & 1) << i;
  return word;
}

// Returns word w of the sum of the tables selected by the mask. Each table has `words` words.
FUGU_HD std::uint32_t combined_word(const std::uint32_t* tables, std::uint32_t words, int outputs,
                                    std::uint32_t mask, std::uint32_t w) {
  std::uint32_t word = 0;
  for (int j = 0; j < outputs; ++j)
    word ^= tables[static_cast<std::size_t>(j) * words + w] & (0 - (mask >> j & 1));
  return word;
}

// Returns word w of the truth table of x_i.
FUGU_HD std::uint32_t input_word(int i, std::uint32_t w) {
  constexpr std::uint32_t kWithin[5] = {0xaaaaaaaau, 0xccccccccu, 0xf0f0f0f0u, 0xff00ff00u, 0xffff0000u};
  return i < 5 ? kWithin[i] : 0 - (w >> (i - 5) & 1);
}

// Returns the number of points x in word w with y_j = x_i. `coordinate` is word w of y_j.
FUGU_HD std::uint32_t agreements(std::uint32_t coordinate, int i, std::uint32_t w) {
  return static_cast<std::uint32_t>(ones(~(coordinate ^ input_word(i, w))));
}

// Returns S(x) + S(x + a) if it has a single bit, otherwise 0.
FUGU_HD std::uint32_t one_bit_difference(const std::uint32_t* values, std::uint32_t x, std::uint32_t a) {
  const std::uint32_t b = values[x] ^ values[x ^ a];
  return (b & (b - 1)) == 0 ? b : 0;
}

}  // namespace fugu::kernels
