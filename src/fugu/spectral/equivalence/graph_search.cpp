// Labels of all vectors v and, between two Walsh transforms, of all masks (a, b): the transform of labels
// sums, for each mask, those of all vectors with signs, so what it yields depends on the linear structure
// alone. Points that remain alike are singled out one after the other.
#include "fugu/spectral/equivalence/detail/graph_search.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "fugu/spectral/equivalence/detail/linear_pairs.hpp"
#include "fugu/spectral/walsh.hpp"

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
