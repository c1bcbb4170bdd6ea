// S(x) + S(x + a) of all pairs {x, x + a}, in 16 bits. Internal.
//
// Rows whose a has the same highest bit h differ little. Number the pairs by the smaller input p without the
// bit h; with T(p) = S(smaller) and U(p) = S(other) for a = h, the differences of a are T(p) + U(p + a + h).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral::detail {

class PairDifferences {
 public:
  static bool hold(const SBox& box) { return box.inputs() >= 4 && box.inputs() <= 16 && box.outputs() <= 16; }

  explicit PairDifferences(const SBox& box)
      : box_(box), smaller_(box.size() / 2), other_(box.size() / 2), differences_(box.size() / 2) {}

  // By pair, valid until the next call; a != 0.
  std::span<const std::uint16_t> of(std::uint32_t a) {
    const std::uint32_t high = std::bit_floor(a);
    if (high != high_) split(high);
    fill(a ^ high);
    return differences_;
  }

  // S of the smaller input of each pair, for the a of the last call.
  std::span<const std::uint16_t> smaller() const { return smaller_; }

  // row[b] = delta(a,b) / 2 modulo 2^8 or 2^16; a != 0. If the sum of the row's bytes is the number of pairs,
  // none of them wrapped.
  template <class T>
  void count(std::uint32_t a, std::span<T> row) {
    std::ranges::fill(row, T{0});
    for (const std::uint16_t b : of(a)) ++row[b];
  }

 private:
  static constexpr std::size_t kLanes = 8;
  using Eight [[gnu::vector_size(2 * kLanes)]] = std::uint16_t;

  void split(std::uint32_t high) {
    high_ = high;
    for (std::uint32_t pair = 0; pair < smaller_.size(); ++pair) {
      const std::uint32_t x = pair + (pair & ~(high - 1));
      smaller_[pair] = static_cast<std::uint16_t>(box_[x]);
      other_[pair] = static_cast<std::uint16_t>(box_[x ^ high]);
    }
  }

  void fill(std::uint32_t shift) {
    const std::size_t eights = shift / kLanes;
    switch (shift % kLanes) {
      case 0:
        return fill<0>(eights);
      case 1:
        return fill<1>(eights);
      case 2:
        return fill<2>(eights);
      case 3:
        return fill<3>(eights);
      case 4:
        return fill<4>(eights);
      case 5:
        return fill<5>(eights);
      case 6:
        return fill<6>(eights);
      default:
        return fill<7>(eights);
    }
  }

  // Lane i becomes lane i ^ lanes. In two steps: before SSSE3 there is no single one for 5 and 7.
  template <int lanes>
  static Eight shuffled(Eight x) {
    using Halves [[gnu::vector_size(2 * kLanes)]] = std::uint64_t;
    if constexpr ((lanes & 4) != 0) {
      const auto halves = reinterpret_cast<Halves>(x);
      x = reinterpret_cast<Eight>(__builtin_shufflevector(halves, halves, 1, 0));
    }
    constexpr int k = lanes & 3;
    return __builtin_shufflevector(x, x, k, 1 ^ k, 2 ^ k, 3 ^ k, 4 ^ k, 5 ^ k, 6 ^ k, 7 ^ k);
  }

  template <int lanes>
  void fill(std::size_t eights) {
    for (std::size_t i = 0; i < differences_.size() / kLanes; ++i) {
      Eight x;
      Eight y;
      std::memcpy(&x, &smaller_[i * kLanes], sizeof(x));
      std::memcpy(&y, &other_[(i ^ eights) * kLanes], sizeof(y));
      x ^= shuffled<lanes>(y);
      std::memcpy(&differences_[i * kLanes], &x, sizeof(x));
    }
  }

  const SBox& box_;
  std::uint32_t high_ = 0;
  std::vector<std::uint16_t> smaller_;
  std::vector<std::uint16_t> other_;
  std::vector<std::uint16_t> differences_;
};

}  // namespace fugu::spectral::detail
