// One thread's work on a box's values: coordinates as packed truth tables, the effect of single input bits,
// summaries of components, the sums of the transparency order.
#pragma once

#include "kernels/sbox/packed.hpp"

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

// The summary of a component from the findings about its spectrum.
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

// (-1)^y of output j of a value: a term of Prouff's transparency order
// (src/fugu/spectral/sbox/sidechannel.hpp).
FUGU_HD std::int64_t coordinate_sign(std::uint32_t value, unsigned j) {
  return 1 - 2 * static_cast<std::int64_t>(value >> j & 1);
}

// The four beta from 4 quad on, which have the terms of all j but 0 and 1 in common.
class TransparencyQuad {
 public:
  FUGU_HD explicit TransparencyQuad(std::uint32_t quad) {
    FUGU_UNROLL
    for (unsigned j = 2; j < kMaxTransparencyOutputs; ++j)
      signs_[j - 2] = (quad >> (j - 2) & 1) != 0 ? -1 : 1;
  }

  // Adds |sum over j of (-1)^beta_j r[j]| of beta = 4 quad + i to sums[i].
  FUGU_HD void add(const std::int32_t* r, std::uint32_t* sums) const {
    std::int32_t common = 0;
    FUGU_UNROLL
    for (unsigned j = 2; j < kMaxTransparencyOutputs; ++j) common += signs_[j - 2] * r[j];
    const std::int32_t sum = r[0] + r[1], difference = r[0] - r[1];
    sums[0] += magnitude(common + sum);
    sums[1] += magnitude(common - difference);
    sums[2] += magnitude(common + difference);
    sums[3] += magnitude(common - sum);
  }

 private:
  std::int32_t signs_[kMaxTransparencyOutputs - 2];
};

}  // namespace fugu::kernels
