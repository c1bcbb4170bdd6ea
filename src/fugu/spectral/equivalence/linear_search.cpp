// Guesses A on one point after the other. Each guess implies values of B, since B(S(x)) = T(A(x)), and these
// values of A again where S^-1 is unique: on spans, so that what is known at least doubles.
#include "fugu/spectral/equivalence/detail/linear_search.hpp"

#include <utility>

namespace fugu::spectral::detail {

bool PartialMap::extend(std::uint32_t x, std::uint32_t y) {
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

void PartialMap::complete() {
  std::uint32_t y = 1;
  for (std::uint32_t x = 1; x < images_.size(); ++x) {
    if (knows(x)) continue;
    while (!extend(x, y)) ++y;
  }
}

void PartialMap::shrink(std::size_t size) {
  for (; known_.size() > size; known_.pop_back()) {
    taken_[images_[known_.back()]] = false;
    images_[known_.back()] = kUnknown;
  }
}

AffineMap PartialMap::map() const {
  AffineMap map;
  for (std::uint32_t x = 1; x < images_.size(); x *= 2) map.columns.push_back(images_[x]);
  map.outputs = map.inputs();
  return map;
}

Preimages::Preimages(const SBox& box)
    : counts(std::size_t{box.last_mask()} + 1), inputs(std::size_t{box.last_mask()} + 1) {
  for (std::uint32_t x = 0; x < box.size(); ++x) {
    ++counts[box[x]];
    inputs[box[x]] = x;
  }
}

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

}  // namespace fugu::spectral::detail
