// Boxes of 8 inputs and 8 outputs, one per block: difference rows with counters private to a thread, and the
// degrees of the coordinates. profile_agent.hpp computes the components.
#pragma once

#include "kernels/sbox/box_agent.hpp"
#include "kernels/sbox/profile_agent.hpp"
#include "kernels/sbox/row_agent.hpp"
#include "kernels/walsh/moebius_agent.hpp"

namespace fugu::kernels {

inline constexpr unsigned kSmallThreads = 128;
inline constexpr int kSmallBits = 8;
inline constexpr std::uint32_t kSmallPoints = 256;

// Counts the pairs of a row, one byte per b. The words of a thread are kSmallThreads apart, so that the
// threads of a warp use different banks.
class SmallRow {
 public:
  static constexpr unsigned kWords = kSmallPoints / 4;

  FUGU_HD SmallRow(std::uint32_t* counters, unsigned thread)
      : words_(counters + thread), bytes_(reinterpret_cast<std::uint8_t*>(words_)) {}

  // Returns max delta(a,b) over b.
  FUGU_HD std::uint32_t largest(const std::uint8_t* values, std::uint32_t a) const {
    for (unsigned w = 0; w < kWords; ++w) words_[w * kSmallThreads] = 0;
    const int highest = highest_bit(a);
    std::uint8_t most = 0;
    for (std::uint32_t pair = 0; pair < kSmallPoints / 2; ++pair) {
      const std::uint32_t x = pair_member(pair, highest);
      const std::uint32_t b = static_cast<std::uint32_t>(values[x]) ^ values[x ^ a];
      std::uint8_t& counter = bytes_[b / 4 * 4 * kSmallThreads + b % 4];
      counter = static_cast<std::uint8_t>(counter + 1);
      if (counter > most) most = counter;
    }
    return 2u * most;
  }

 private:
  std::uint32_t* words_;
  std::uint8_t* bytes_;
};

// Returns one more than the degree of a function of 8 variables.
FUGU_HD std::uint32_t small_degree_and_one(const std::uint32_t (&function)[kProfileWords]) {
  Parity form[kProfileWords];
  for (int w = 0; w < kProfileWords; ++w) form[w] = parity_of_word(function[w]);
  core::butterflies<3>(form, 0, 3);
  std::uint32_t largest = 0;
  for (int w = 0; w < kProfileWords; ++w) {
    const std::uint32_t here = degree_and_one(static_cast<std::uint32_t>(w), form[w], ~std::uint32_t{0});
    if (here > largest) largest = here;
  }
  return largest;
}

}  // namespace fugu::kernels
