// The search for a linear permutation of F_2^(n+m) that maps one graph to another. Internal.
#pragma once

#include "fugu/core/splitmix.hpp"
#include "fugu/spectral/equivalence/affine_map.hpp"
#include "fugu/spectral/equivalence/detail/budget.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral::detail {

// A subset of F_2^bits that contains 0, and labels of all vectors that linear equivalence preserves.
class LabelledGraph {
 public:
  // {(x, S(x))} of a box with S(0) = 0, x in bits m and above. `keeps_values`: the subspace {(0, y)} gets a
  // label, so that it is mapped to itself.
  LabelledGraph(const SBox& box, bool keeps_values);

  const std::vector<std::uint32_t>& points() const { return points_; }
  std::uint64_t label(std::size_t i) const { return static_cast<std::uint64_t>(labels_[points_[i]]); }

  void single_out(std::size_t i);

  // What each round of refinement has found, in order.
  using Trace = std::vector<std::uint64_t>;

  // Refines until no round tells more points apart.
  Trace refine(const Budget& budget);

  // Refines as `trace` says. Returns false as soon as a round finds something else.
  bool refine_as(const Trace& trace, const Budget& budget);

 private:
  struct Round {
    std::uint64_t found;
    std::size_t classes;  // of points
  };
  Round refine_once(const Budget& budget);

  int bits_;
  std::vector<std::uint32_t> points_;
  std::vector<std::int64_t> labels_;  // indexed by vector
};

class GraphSearch {
 public:
  using Accept = std::function<bool(const AffineMap& l)>;

  // Both boxes map 0 to 0, and so does L. `keeps_values`: L maps {(0, y)} to itself.
  GraphSearch(const SBox& s, bool keeps_values, Budget& budget);

  // How many points of S are told apart once one is singled out.
  std::size_t classes();

  // Returns whether accept() has returned true, for the first L with the graph of T as image of which it
  // does.
  bool run(const SBox& t, const Accept& accept);

 private:
  // The graph of S after some points were singled out, always in the same way.
  struct Level {
    LabelledGraph graph;
    LabelledGraph::Trace trace;
    std::vector<std::size_t> unique;  // points that share their label with no other
    std::size_t classes = 0;          // of points
    bool spans = false;               // whether these span what the graph spans
    std::size_t next = 0;             // the point to single out otherwise
  };

  Level make_level(LabelledGraph graph) const;
  const Level& level(std::size_t depth);
  bool search(std::size_t depth, const LabelledGraph& t, const Accept& accept);
  bool accept_map(const Level& level, const LabelledGraph& t, const Accept& accept) const;

  bool keeps_values_;
  int inputs_;
  int outputs_;
  int rank_;  // the rank of the graph of S
  std::vector<Level> levels_;
  Budget& budget_;
};

inline std::uint64_t mixed(std::uint64_t value) {
  return core::SplitMix64(value).next();
}

struct Labels {
  std::vector<std::uint64_t> differences;  // row a of the DDT as its values: kept under EA-equivalence
  std::vector<std::uint64_t> points;       // the delta(a, S(x) + S(x + a)) of all a: under CCZ-equivalence
};

Labels labels_of(const SBox& box, const Budget& budget);

// The rarest label's first position.
std::uint32_t rarest(const std::vector<std::uint64_t>& labels);

// S(x + point) + S(point), which maps 0 to 0.
SBox moved(const SBox& box, std::uint32_t point);

}  // namespace fugu::spectral::detail
