// Affine maps, and the searches of those of an equivalence.
#include <utility>

#include "fugu/spectral/equivalence/detail/searches.hpp"

namespace fugu::spectral::detail {
namespace {

constexpr std::uint64_t kPoint = 0x9ae16a3b2f90404f;  // any odd numbers
constexpr std::uint64_t kValue = 0xc949d7c7509e6557;
constexpr std::uint64_t kSingle = 0xff51afd7ed558ccd;

std::int64_t remixed(std::int64_t label) {
  return static_cast<std::int64_t>(mixed(static_cast<std::uint64_t>(label)));
}

std::int64_t sum(std::int64_t a, std::uint64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + b);
}

}  // namespace

Preimages::Preimages(const SBox& box)
    : counts(std::size_t{box.last_mask()} + 1), inputs(std::size_t{box.last_mask()} + 1) {
  for (std::uint32_t x = 0; x < box.size(); ++x) {
    ++counts[box[x]];
    inputs[box[x]] = x;
  }
}

// Guesses A on one point after the other. Each guess implies values of B, since B(S(x)) = T(A(x)), and these
// values of A again where S^-1 is unique: on spans, so that what is known at least doubles.
LinearSearch::LinearSearch(const SBox& s, std::vector<std::uint64_t> s_labels, const SBox& t,
                           const std::vector<std::uint64_t>& t_labels, Budget& budget)
    : s_(s),
      t_(t),
      s_labels_(std::move(s_labels)),
      t_labels_(t_labels),
      s_inputs_(s),
      t_inputs_(t),
      a_(s.inputs()),
      b_(s.outputs()),
      budget_(budget) {
  for (std::uint32_t y = 0; y < t.size(); ++y) by_label_[t_labels[y]].push_back(y);
}

void LinearSearch::undo(const Mark& mark) {
  a_.shrink(mark.a);
  b_.shrink(mark.b);
  a_followed_ = mark.a;
  b_followed_ = mark.b;
}

bool LinearSearch::propagate() {
  while (a_followed_ < a_.known().size() || b_followed_ < b_.known().size()) {
    while (a_followed_ < a_.known().size())
      if (!follow_input(a_.known()[a_followed_++])) return false;
    while (b_followed_ < b_.known().size())
      if (!follow_value(b_.known()[b_followed_++])) return false;
  }
  return true;
}

bool LinearSearch::follow_input(std::uint32_t x) {
  if (s_labels_[x] != t_labels_[a_[x]]) return false;
  const std::uint32_t value = t_[a_[x]];
  return b_.knows(s_[x]) ? b_[s_[x]] == value : b_.extend(s_[x], value);
}

bool LinearSearch::follow_value(std::uint32_t value) {
  const std::uint32_t image = b_[value];
  if (s_inputs_.counts[value] != t_inputs_.counts[image]) return false;
  if (s_inputs_.counts[value] != 1) return true;
  const std::uint32_t x = s_inputs_.inputs[value];
  const std::uint32_t y = t_inputs_.inputs[image];
  return a_.knows(x) ? a_[x] == y : a_.extend(x, y);
}

// The input with the fewest candidates.
std::optional<std::uint32_t> LinearSearch::next_guess() const {
  std::optional<std::uint32_t> best;
  std::size_t least = s_.size() + 1;
  for (std::uint32_t x = 1; x < s_.size(); ++x) {
    if (a_.knows(x)) continue;
    const auto found = by_label_.find(s_labels_[x]);
    const std::size_t count = found == by_label_.end() ? 0 : found->second.size();
    if (count >= least) continue;
    least = count;
    best = x;
  }
  return best;
}

bool LinearSearch::search(const Accept& accept) {
  const std::optional<std::uint32_t> x = next_guess();
  if (!x) {
    PartialMap b = b_;
    b.complete();
    return accept(a_.map(), b.map());
  }
  if (!by_label_.contains(s_labels_[*x])) return false;
  const Mark before = mark();
  for (const std::uint32_t y : candidates(*x)) {
    if (a_.is_image(y)) continue;
    budget_.spend();
    if (guess(*x, y) && search(accept)) return true;
    undo(before);
  }
  return false;
}

void LinearSearch::count(Decimal& product) {
  propagate();
  count_from(product);
}

// The product of the orbits' lengths along a chain of stabilizers.
void LinearSearch::count_from(Decimal& product) {
  const std::optional<std::uint32_t> x = next_guess();
  if (!x) {
    const std::uint64_t all = std::uint64_t{s_.last_mask()} + 1;
    for (std::uint64_t span = b_.known().size(); span < all; span *= 2) product.multiply(all - span);
    return;
  }
  std::uint64_t orbit = 0;
  const Mark before = mark();
  for (const std::uint32_t y : candidates(*x)) {
    if (a_.is_image(y)) continue;
    budget_.spend();
    const bool found = guess(*x, y) && (y == *x || search([](const auto&...) { return true; }));
    if (found) ++orbit;
    undo(before);
  }
  product.multiply(orbit);
  guess(*x, *x);
  count_from(product);
}

// Labels of all vectors v and, between two Walsh transforms, of all masks (a, b): the transform of labels
// sums, for each mask, those of all vectors with signs, so what it yields depends on the linear structure
// alone. Points that remain alike are singled out one after the other.
LabelledGraph::LabelledGraph(const SBox& box, bool keeps_values)
    : bits_(box.inputs() + box.outputs()), labels_(std::size_t{1} << bits_) {
  for (std::uint32_t x = 0; x < box.size(); ++x) {
    points_.push_back(x << box.outputs() | box[x]);
    labels_[points_.back()] = sum(labels_[points_.back()], kPoint);
  }
  for (std::uint32_t y = 0; keeps_values && y <= box.last_mask(); ++y) labels_[y] = sum(labels_[y], kValue);
}

void LabelledGraph::single_out(std::size_t i) {
  labels_[points_[i]] = remixed(sum(labels_[points_[i]], kSingle));
}

LabelledGraph::Round LabelledGraph::refine_once(const Budget& budget) {
  budget.look();
  std::vector<std::int64_t> masks = labels_;
  walsh(std::span(masks), bits_, {.threads = 1});
  budget.look();
  std::ranges::transform(masks, masks.begin(), remixed);
  walsh(std::span(masks), bits_, {.threads = 1});
  Round round{0, 0};
  for (std::size_t v = 0; v < labels_.size(); ++v) {
    labels_[v] = remixed(sum(labels_[v], kPoint * static_cast<std::uint64_t>(masks[v])));
    round.found += mixed(static_cast<std::uint64_t>(labels_[v]));
  }
  std::vector<std::uint64_t> of_points;
  for (std::size_t i = 0; i < points_.size(); ++i) of_points.push_back(label(i));
  std::ranges::sort(of_points);
  for (const std::uint64_t label : of_points) round.found = mixed(round.found + label);
  const auto end = std::unique(of_points.begin(), of_points.end());  // clang 14 has no std::ranges::unique
  round.classes = static_cast<std::size_t>(end - of_points.begin());
  return round;
}

LabelledGraph::Trace LabelledGraph::refine(const Budget& budget) {
  Trace trace;
  for (std::size_t classes = 0;;) {
    const Round round = refine_once(budget);
    trace.push_back(round.found);
    if (trace.size() > 1 && round.classes <= classes) return trace;
    classes = round.classes;
  }
}

bool LabelledGraph::refine_as(const Trace& trace, const Budget& budget) {
  return std::ranges::all_of(trace, [&](std::uint64_t found) { return refine_once(budget).found == found; });
}

GraphSearch::GraphSearch(const SBox& s, bool keeps_values, Budget& budget)
    : keeps_values_(keeps_values), inputs_(s.inputs()), outputs_(s.outputs()), budget_(budget) {
  LabelledGraph graph(s, keeps_values);
  rank_ = LinearPairs(graph.points()).rank();
  levels_.push_back(make_level(std::move(graph)));
}

GraphSearch::Level GraphSearch::make_level(LabelledGraph graph) const {
  LabelledGraph::Trace trace = graph.refine(budget_);
  Level level{std::move(graph), std::move(trace), {}};
  const std::vector<std::uint32_t>& points = level.graph.points();
  std::unordered_map<std::uint64_t, std::size_t> counts;
  for (std::size_t i = 0; i < points.size(); ++i) ++counts[level.graph.label(i)];
  std::vector<std::uint32_t> unique_points;
  std::size_t least = points.size() + 1;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t count = counts[level.graph.label(i)];
    if (count == 1) {
      level.unique.push_back(i);
      unique_points.push_back(points[i]);
    } else if (count < least) {
      least = count;
      level.next = i;
    }
  }
  level.classes = counts.size();
  level.spans = LinearPairs(unique_points).rank() == rank_;
  return level;
}

const GraphSearch::Level& GraphSearch::level(std::size_t depth) {
  if (depth == levels_.size()) {
    LabelledGraph graph = levels_.back().graph;
    graph.single_out(levels_.back().next);
    levels_.push_back(make_level(std::move(graph)));
  }
  return levels_[depth];
}

std::size_t GraphSearch::classes() {
  return level(level(0).spans ? 0 : 1).classes;
}

bool GraphSearch::run(const SBox& t, const Accept& accept) {
  LabelledGraph graph(t, keeps_values_);
  budget_.spend();
  return graph.refine_as(levels_[0].trace, budget_) && search(0, graph, accept);
}

bool GraphSearch::search(std::size_t depth, const LabelledGraph& t, const Accept& accept) {
  if (level(depth).spans) return accept_map(level(depth), t, accept);
  const std::uint64_t label = level(depth).graph.label(level(depth).next);
  for (std::size_t i = 0; i < t.points().size(); ++i) {
    if (t.label(i) != label) continue;
    budget_.spend();
    LabelledGraph child = t;
    child.single_out(i);
    if (child.refine_as(level(depth + 1).trace, budget_) && search(depth + 1, child, accept)) return true;
  }
  return false;
}

bool GraphSearch::accept_map(const Level& level, const LabelledGraph& t, const Accept& accept) const {
  std::unordered_map<std::uint64_t, std::uint32_t> images;
  for (std::size_t i = 0; i < t.points().size(); ++i) images[t.label(i)] = t.points()[i];
  LinearPairs pairs;
  for (const std::size_t i : level.unique) {
    const auto image = images.find(level.graph.label(i));
    if (image == images.end() || !pairs.add(level.graph.points()[i], image->second)) return false;
  }
  pairs.complete(inputs_ + outputs_);
  return accept(pairs.map(inputs_ + outputs_));
}

Labels labels_of(const SBox& box, const Budget& budget) {
  Labels labels{std::vector<std::uint64_t>(box.size()), std::vector<std::uint64_t>(box.size())};
  std::vector<std::uint32_t> counts(std::size_t{box.last_mask()} + 1);
  for (std::size_t a = 1; a < box.size(); ++a) {
    budget.look();
    for (std::size_t x = 0; x < box.size(); ++x) ++counts[box[x] ^ box[x ^ a]];
    for (std::size_t x = 0; x < box.size(); ++x) {
      const std::uint64_t label = mixed(counts[box[x] ^ box[x ^ a]]);
      labels.differences[a] += label;
      labels.points[x] += label;
    }
    for (std::size_t x = 0; x < box.size(); ++x) counts[box[x] ^ box[x ^ a]] = 0;
  }
  return labels;
}

std::uint32_t rarest(const std::vector<std::uint64_t>& labels) {
  std::unordered_map<std::uint64_t, std::size_t> counts;
  for (const std::uint64_t label : labels) ++counts[label];
  const auto found = std::ranges::min_element(labels, {}, [&](std::uint64_t label) { return counts[label]; });
  return static_cast<std::uint32_t>(found - labels.begin());
}

SBox moved(const SBox& box, std::uint32_t point) {
  std::vector<std::uint32_t> values(box.size());
  for (std::size_t x = 0; x < values.size(); ++x) values[x] = box[x ^ point] ^ box[point];
  return {box.inputs(), box.outputs(), std::move(values)};
}

}  // namespace fugu::spectral::detail

namespace fugu::spectral {

std::uint32_t AffineMap::operator()(std::uint32_t x) const {
  std::uint32_t y = constant;
  for (std::size_t j = 0; j < columns.size(); ++j)
    if ((x >> j & 1) != 0) y ^= columns[j];
  return y;
}

namespace {

// M(e_j) -> e_j. Rank below the inputs: M is no injection.
detail::LinearPairs inverse_pairs(const AffineMap& map) {
  detail::LinearPairs pairs;
  for (std::size_t j = 0; j < map.columns.size(); ++j) pairs.add(map.columns[j], std::uint32_t{1} << j);
  return pairs;
}

}  // namespace

bool is_permutation(const AffineMap& map) {
  return map.inputs() == map.outputs && inverse_pairs(map).rank() == map.inputs();
}

AffineMap inverse(const AffineMap& map) {
  AffineMap inverse = inverse_pairs(map).map(map.outputs);
  inverse.constant = inverse(map.constant);
  return inverse;
}

}  // namespace fugu::spectral
