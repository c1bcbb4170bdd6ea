// The output differences of the pairs {x, x + a} of one a. Internal.
#pragma once

#include <algorithm>
#include <bit>

#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral::detail {

// S(x) + S(x + a) of all pairs {x, x + a}, in 16 bits.
//
// Rows whose a has the same highest bit h differ little. Number the pairs by the smaller input p without the
// bit h; with T(p) = S(smaller) and U(p) = S(other) for a = h, the differences of a are T(p) + U(p + a + h).
class PairDifferences {
 public:
  static bool hold(const SBox& box) { return box.inputs() >= 4 && box.inputs() <= 16 && box.outputs() <= 16; }

  explicit PairDifferences(const SBox& box)
      : box_(box),
        smaller_(box.size() / 2),
        other_(kTogether * smaller_.size()),
        differences_(box.size() / 2) {}

  // By pair, valid until the next call; a != 0.
  std::span<const std::uint16_t> of(std::uint32_t a) {
    const std::uint32_t high = std::bit_floor(a);
    if (high != high_) split(high);
    fill(a ^ high);
    return differences_;
  }

  // row[b] = delta(a,b) / 2 modulo 2^8 or 2^16; a != 0. If the sum of the row's bytes is the number of pairs,
  // none of them wrapped.
  template <class T>
  void count(std::uint32_t a, std::span<T> row) {
    std::ranges::fill(row, T{0});
    for (const std::uint16_t b : of(a)) ++row[b];
  }

 private:
  static constexpr std::size_t kTogether = 8;  // pairs at a time, so that the loop over them needs no shuffle

  // other_ in kTogether orders: that of number l has U(p + l) at p.
  void split(std::uint32_t high) {
    high_ = high;
    for (std::uint32_t pair = 0; pair < smaller_.size(); ++pair) {
      const std::uint32_t x = pair + (pair & ~(high - 1));
      smaller_[pair] = static_cast<std::uint16_t>(box_[x]);
      for (std::uint32_t order = 0; order < kTogether; ++order)
        other_[order * smaller_.size() + (pair ^ order)] = static_cast<std::uint16_t>(box_[x ^ high]);
    }
  }

  void fill(std::uint32_t shift) {
    const std::uint16_t* const other = &other_[shift % kTogether * smaller_.size()];
    const std::size_t rest = shift / kTogether * kTogether;
    for (std::size_t first = 0; first < smaller_.size(); first += kTogether) {
      std::uint16_t together[kTogether];
      for (std::size_t i = 0; i < kTogether; ++i)
        together[i] = smaller_[first + i] ^ other[(first ^ rest) + i];
      std::ranges::copy(together, &differences_[first]);
    }
  }

  const SBox& box_;
  std::uint32_t high_ = 0;
  std::vector<std::uint16_t> smaller_;
  std::vector<std::uint16_t> other_;
  std::vector<std::uint16_t> differences_;
};

}  // namespace fugu::spectral::detail
