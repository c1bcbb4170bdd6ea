// Whether boxes are EA- or CCZ-equivalent, by trying all images of the points of a graph: naive, from the
// definition.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral::test {

// Pairs v -> w of which the first and the sums with it are linear: an affine map of the points so far.
class AffinePairs {
 public:
  // Returns whether the map remains one.
  bool add(std::uint32_t v, std::uint32_t w) {
    if (!std::exchange(has_origin_, true)) {
      origin_ = {v, w};
      return true;
    }
    v ^= origin_.first;
    w ^= origin_.second;
    while (v != 0) {
      auto& [basis_v, basis_w] = basis_[static_cast<std::size_t>(std::bit_width(v) - 1)];
      if (basis_v == 0) {
        basis_v = v;
        basis_w = w;
        return true;
      }
      v ^= basis_v;
      w ^= basis_w;
    }
    return w == 0;
  }

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  bool has_origin_ = false;
  Pair origin_{};
  std::array<Pair, 32> basis_{};  // by the highest bit
};

class GraphMaps {
 public:
  // `keeps_inputs`: EA-equivalence, whose map of the inputs x is affine by itself.
  GraphMaps(const SBox& s, const SBox& t, bool keeps_inputs)
      : from_(in_spans(graph_of(s))),
        to_(graph_of(t)),
        from_planes_(planes_of(from_)),
        to_planes_(planes_of(to_)),
        outputs_(s.outputs()),
        keeps_inputs_(keeps_inputs) {}

  // Whether a one-to-one map of the graphs is a part of an affine permutation.
  bool exist() { return extend(0, {}, {}, {}); }

 private:
  using Points = std::vector<std::uint32_t>;

  static Points graph_of(const SBox& box) {
    Points points;
    for (std::uint32_t x = 0; x < box.size(); ++x) points.push_back(x << box.outputs() | box[x]);
    return points;
  }

  // The number of planes, of four points whose sum is 0, that hold each point: an affine map keeps it.
  static std::map<std::uint32_t, int> planes_of(const Points& points) {
    std::map<std::uint32_t, int> planes;
    for (const std::uint32_t a : points)
      for (const std::uint32_t b : points)
        for (const std::uint32_t c : points)
          if (a != b && a != c && b != c && std::ranges::find(points, a ^ b ^ c) != points.end()) ++planes[a];
    return planes;
  }

  // Each point that depends on others comes at once after them, where it excludes images early.
  static Points in_spans(Points points) {
    AffinePairs span;
    for (auto next = points.begin(); next != points.end(); ++next) {
      const auto depends = [&](std::uint32_t point) { return !AffinePairs(span).add(point, 1); };
      const auto dependent = std::find_if(next, points.end(), depends);
      if (dependent != points.end()) std::iter_swap(next, dependent);
      span.add(*next, 0);
    }
    return points;
  }

  bool extend(std::size_t i, const AffinePairs& map, const AffinePairs& inverse, const AffinePairs& inputs) {
    if (i == from_.size()) return true;
    for (std::size_t j = i; j < to_.size(); ++j) {
      std::swap(to_[i], to_[j]);
      AffinePairs longer = map;
      AffinePairs longer_inverse = inverse;
      AffinePairs longer_inputs = inputs;
      if (from_planes_[from_[i]] == to_planes_[to_[i]] && longer.add(from_[i], to_[i]) &&
          longer_inverse.add(to_[i], from_[i]) &&
          (!keeps_inputs_ || longer_inputs.add(from_[i] >> outputs_, to_[i] >> outputs_)) &&
          extend(i + 1, longer, longer_inverse, longer_inputs))
        return true;
      std::swap(to_[i], to_[j]);
    }
    return false;
  }

  Points from_;
  Points to_;
  std::map<std::uint32_t, int> from_planes_;
  std::map<std::uint32_t, int> to_planes_;
  int outputs_;
  bool keeps_inputs_;
};

}  // namespace fugu::spectral::test
