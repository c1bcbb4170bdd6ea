// Searches of the maps of an equivalence, and what they share. Internal.
#pragma once

#include <array>
#include <bit>
#include <unordered_map>

#include "fugu/core/splitmix.hpp"
#include "fugu/spectral/detail/integers.hpp"
#include "fugu/spectral/detail/parallel.hpp"
#include "fugu/spectral/equivalence/equivalence.hpp"

namespace fugu::spectral::detail {

// Thrown where the deadline is noticed. No function of the library lets it out.
struct OutOfTime {};

inline void throw_if_late(Deadline deadline, Clock clock) {
  if (clock() >= deadline) throw OutOfTime();
}

// The steps of a search: counted, limited in time, interruptible.
class Budget {
 public:
  explicit Budget(const SearchOptions& options) : options_(options) {}

  // Before steps of some milliseconds at most. Throws Error{interrupted} and OutOfTime.
  void spend(std::uint64_t steps = 1) {
    check();
    steps_ += steps;
    if (options_.done) options_.done(steps);
  }

  // Between the parts of a longer step. Throws as spend() does.
  void look() const {
    check();
    if (options_.done) options_.done(0);
  }

  std::uint64_t steps() const { return steps_; }

 private:
  void check() const {
    throw_if_stopped(options_.stop);
    throw_if_late(options_.deadline, options_.clock);
  }

  const SearchOptions& options_;
  std::uint64_t steps_ = 0;
};

// A linear bijection between subspaces, built from pairs of vectors.
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

// A linear injection, known on a subspace of F_2^bits.
class PartialMap {
 public:
  explicit PartialMap(int bits)
      : images_(std::size_t{1} << bits, kUnknown), taken_(images_.size()), known_{0} {
    images_[0] = 0;
    taken_[0] = true;
  }

  bool knows(std::uint32_t x) const { return images_[x] != kUnknown; }
  bool is_image(std::uint32_t y) const { return taken_[y]; }
  std::uint32_t operator[](std::uint32_t x) const { return images_[x]; }
  const std::vector<std::uint32_t>& known() const { return known_; }

  // Adds x -> y, x not in the subspace. Returns false, and adds nothing, if y is an image.
  bool extend(std::uint32_t x, std::uint32_t y) {
    if (taken_[y]) return false;
    const std::size_t size = known_.size();
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint32_t image = images_[known_[i]] ^ y;
      known_.push_back(known_[i] ^ x);
      images_[known_.back()] = image;
      taken_[image] = true;
    }
    return true;
  }
  // Extends to all of the space, by any images.
  void complete() {
    std::uint32_t y = 1;
    for (std::uint32_t x = 1; x < images_.size(); ++x) {
      if (knows(x)) continue;
      while (!extend(x, y)) ++y;
    }
  }
  // Forgets all but the first `size` known.
  void shrink(std::size_t size) {
    for (; known_.size() > size; known_.pop_back()) {
      taken_[images_[known_.back()]] = false;
      images_[known_.back()] = kUnknown;
    }
  }

  AffineMap map() const {
    AffineMap map;
    for (std::uint32_t x = 1; x < images_.size(); x *= 2) map.columns.push_back(images_[x]);
    map.outputs = map.inputs();
    return map;
  }

 private:
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

  std::vector<std::uint32_t> images_;
  std::vector<bool> taken_;
  std::vector<std::uint32_t> known_;
};

// The inputs of each value.
struct Preimages {
  explicit Preimages(const SBox& box);

  std::vector<std::uint32_t> counts;
  std::vector<std::uint32_t> inputs;  // one of the preimages
};

// The search for linear permutations A and B with B(S(x)) = T(A(x)).
class LinearSearch {
 public:
  using Accept = std::function<bool(const AffineMap& a, const AffineMap& b)>;

  // A keeps the labels. The boxes must outlive the search.
  LinearSearch(const SBox& s, std::vector<std::uint64_t> s_labels, const SBox& t,
               const std::vector<std::uint64_t>& t_labels, Budget& budget);

  // Returns whether accept() has returned true, for the first maps of which it does.
  bool run(const Accept& accept) { return propagate() && search(accept); }

  // Multiplies by the number of maps, if S = T and the labels are the same.
  void count(Decimal& product);

 private:
  struct Mark {
    std::size_t a, b;
  };

  Mark mark() const { return {a_.known().size(), b_.known().size()}; }
  void undo(const Mark& mark);
  bool guess(std::uint32_t x, std::uint32_t y) { return a_.extend(x, y) && propagate(); }
  bool propagate();
  bool follow_input(std::uint32_t x);
  bool follow_value(std::uint32_t value);
  std::optional<std::uint32_t> next_guess() const;
  const std::vector<std::uint32_t>& candidates(std::uint32_t x) const { return by_label_.at(s_labels_[x]); }
  bool search(const Accept& accept);
  void count_from(Decimal& product);

  const SBox& s_;
  const SBox& t_;
  std::vector<std::uint64_t> s_labels_;
  const std::vector<std::uint64_t>& t_labels_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_label_;  // the points of T by label
  Preimages s_inputs_;
  Preimages t_inputs_;
  PartialMap a_;
  PartialMap b_;
  std::size_t a_followed_ = 0;
  std::size_t b_followed_ = 0;
  Budget& budget_;
};

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

// The search for a linear permutation of F_2^(n+m) that maps one graph to another.
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

// Power maps x^k and x^l over GF(2^n) are CCZ-equivalent if and only if l is 2^i k, or 2^i / k, modulo 2^n -
// 1 (Dempwolff, DCC 86, 2018; for APN functions Yoshiara, J. Algebraic Combin. 44, 2016).
struct PowerPair {
  std::uint32_t k, l;              // the least of their classes; equivalent if they are the same
  std::optional<Witness> witness;  // linear if l = 2^i k, otherwise CCZ
};

// Empty unless both boxes, of one size, are power maps, over any representations of the field.
std::optional<PowerPair> power_pair(const SBox& s, const SBox& t);

// Its linear part's.
AffineMap transposed(const AffineMap& map);

// The linear parts of affine maps of the graph to itself that are EA-equivalences: those of the translations
// by the unit vectors, and then, one up to translations, all others, by maps of the ortho-derivative pi to
// itself.
std::vector<AffineMap> quadratic_automorphisms(const SBox& box, const SBox& pi, Budget& budget);

// Each vector's highest bit is 0 in all others; ascending.
std::vector<std::uint32_t> reduced(std::vector<std::uint32_t> basis);

// Appends the reduced bases of the Walsh-zero spaces, at most `most` in all, for an ortho-derivative that is
// a permutation.
void append_quadratic_zeros(const SBox& box, const SBox& pi, std::size_t most, Budget& budget,
                            std::vector<std::vector<std::uint32_t>>& bases);

}  // namespace fugu::spectral::detail
