// A linear bijection between subspaces, built from pairs of vectors. Internal.
#pragma once

#include <array>
#include <bit>
#include <optional>
#include <span>

#include "fugu/spectral/equivalence/affine_map.hpp"

namespace fugu::spectral::detail {

class LinearPairs {
 public:
  // The identity of the vectors' span.
  explicit LinearPairs(std::span<const std::uint32_t> vectors = {}) {
    for (const std::uint32_t v : vectors) add(v, v);
  }

  int rank() const { return rank_; }

  // v -> w. Returns false, and adds nothing, if no linear bijection of the spans has these images.
  bool add(std::uint32_t v, std::uint32_t w) {
    reduce(v, w, pairs_);
    if (v == 0 || w == 0) return v == w;
    Pair image{w, 0};
    reduce(image.v, image.w, images_);
    if (image.v == 0) return false;
    pairs_[top(v)] = {v, w};
    images_[top(image.v)] = image;
    ++rank_;
    return true;
  }

  // The image of v, if v is in the span.
  std::optional<std::uint32_t> image(std::uint32_t v) const {
    std::uint32_t w = 0;
    reduce(v, w, pairs_);
    return v == 0 ? std::optional(w) : std::nullopt;
  }

  // Extends the bijection to all of F_2^bits. The lowest bits are mapped to the lowest bits where that is
  // possible, so {(0, y)} to itself.
  void complete(int bits) {
    int i = 0;
    for (int j = 0; j < bits; ++j) {
      if (image(bit(j))) continue;
      while (!add(bit(j), bit(i))) ++i;
    }
  }

  // The map of all of F_2^bits, which the span has to be.
  AffineMap map(int bits) const {
    AffineMap map{bits, {}, 0};
    for (int j = 0; j < bits; ++j) map.columns.push_back(*image(bit(j)));
    return map;
  }

 private:
  struct Pair {
    std::uint32_t v = 0;
    std::uint32_t w = 0;
  };
  using Echelon = std::array<Pair, 32>;  // indexed by the highest bit of v

  static std::uint32_t bit(int i) { return std::uint32_t{1} << i; }
  static std::size_t top(std::uint32_t v) { return static_cast<std::size_t>(std::bit_width(v) - 1); }

  static void reduce(std::uint32_t& v, std::uint32_t& w, const Echelon& echelon) {
    for (std::size_t i = echelon.size(); i-- > 0;) {
      if ((v >> i & 1) == 0) continue;
      v ^= echelon[i].v;
      w ^= echelon[i].w;
    }
  }

  int rank_ = 0;
  Echelon pairs_{};
  Echelon images_{};
};

}  // namespace fugu::spectral::detail
