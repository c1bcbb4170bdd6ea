// The least representative by a search that fixes R(0), R(1), ... one after the other: A is guessed on the
// unit vectors where S leaves a choice, B follows. A branch ends where R is greater than the best so far.
#include "fugu/spectral/equivalence/canonical.hpp"

#include <limits>
#include <numeric>

#include "fugu/spectral/equivalence/detail/searches.hpp"
#include "fugu/spectral/sbox/basic.hpp"

namespace fugu::spectral {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t kNoNumber = ~std::uint32_t{0};

// The images of 0, 1, ..., 2^k - 1 under a linear injection, and their numbers.
class Span {
 public:
  explicit Span(std::size_t vectors) : numbers_(vectors, kNoNumber) { numbers_[0] = 0; }

  std::uint32_t size() const { return static_cast<std::uint32_t>(images_.size()); }
  std::uint32_t operator[](std::uint32_t i) const { return images_[i]; }
  std::uint32_t number_of(std::uint32_t vector) const { return numbers_[vector]; }
  bool has(std::uint32_t vector) const { return numbers_[vector] != kNoNumber; }

  // The image of 2^k, a vector that is none yet.
  void extend(std::uint32_t vector) {
    for (std::uint32_t i = 0, count = size(); i < count; ++i) {
      images_.push_back(images_[i] ^ vector);
      numbers_[images_.back()] = count + i;
    }
  }
  void shrink(std::uint32_t size) {
    for (; images_.size() > size; images_.pop_back()) numbers_[images_.back()] = kNoNumber;
  }

 private:
  Words images_{0};
  Words numbers_;
};

Words all_inputs(const SBox& box) {
  Words all(box.size());
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

class LeastSearch {
 public:
  explicit LeastSearch(detail::Budget& budget) : budget_(budget) {}

  // Looks for a lesser R among those of S'(A(x)), A linear, A(1) one of `first`; S'(x) = S(x + point) +
  // S(point) in an affine search.
  void run(const SBox& box, std::uint32_t point, Words first) {
    box_ = &box;
    first_ = std::move(first);
    all_ = all_inputs(box);
    inputs_of_.assign(std::size_t{box.last_mask()} + 1, {});
    for (std::uint32_t x = 0; x < box.size(); ++x) inputs_of_[box[x]].push_back(x);
    a_ = Span(box.size());
    b_ = Span(inputs_of_.size());
    current_.resize(box.size());
    path_ = {point};
    (void)search(0, !best_.empty());
  }

  const Words& best() const { return best_; }
  const Words& path() const { return best_path_; }  // the point, A(1), A(2), A(4), ...
  const Words& b_images() const { return best_b_; }

 private:
  static constexpr std::size_t kGoOn = std::numeric_limits<std::size_t>::max();

  // Sets R(x). Returns false where it exceeds the best.
  bool set(std::uint32_t x, std::uint32_t r, bool& tied) {
    current_[x] = r;
    if (!tied) return true;
    tied = r == best_[x];
    return r <= best_[x];
  }

  // From x on; `tied`: so far R is the best. Returns the length of the path that is to be left as it is.
  std::size_t search(std::uint32_t x, bool tied) {
    const std::uint32_t outputs = b_.size();
    const std::size_t kept = follow(x, tied);
    b_.shrink(outputs);
    return kept;
  }

  std::size_t follow(std::uint32_t x, bool tied) {
    for (; x < a_.size(); ++x) {
      const std::uint32_t y = (*box_)[a_[x]];
      if (!b_.has(y)) b_.extend(y);
      if (!set(x, b_.number_of(y), tied)) return kGoOn;
    }
    return x == box_->size() ? finish(tied) : guess(x, tied);
  }

  // An automorphism maps what was seen below the best path to all that is below the first vector that
  // differs.
  std::size_t finish(bool tied) {
    if (!tied) {
      best_ = current_;
      best_path_ = path_;
      best_b_.clear();
      for (std::uint32_t i = 1; i < b_.size(); i *= 2) best_b_.push_back(b_[i]);
      ++found_;
      return kGoOn;
    }
    std::size_t same = 0;
    while (path_[same] == best_path_[same]) ++same;
    return same;
  }

  // A(x) such that R(x) is as small as possible: among the inputs of a known value, or else any.
  std::size_t guess(std::uint32_t x, bool tied) {
    for (std::uint32_t r = 0; r < b_.size(); ++r) {
      bool is_free = false;
      for (const std::uint32_t v : inputs_of_[b_[r]]) is_free = is_free || !a_.has(v);
      if (is_free) return try_all(x, inputs_of_[b_[r]], r, tied);
    }
    return try_all(x, x == 1 ? first_ : all_, b_.size(), tied);
  }

  std::size_t try_all(std::uint32_t x, const Words& candidates, std::uint32_t r, bool tied) {
    if (tied && r != best_[x]) {
      if (r > best_[x]) return kGoOn;
      tied = false;
    }
    budget_.spend();
    const std::size_t depth = path_.size();
    std::size_t kept = kGoOn;
    for (std::size_t i = 0; i < candidates.size() && kept >= depth; ++i) {
      const std::uint32_t v = candidates[i];
      if (a_.has(v) || (tied && x > 1 && next_of(v) > best_[x + 1])) continue;
      a_.extend(v);
      path_.push_back(v);
      const std::size_t found = found_;
      kept = search(x, tied);
      tied = tied || found_ != found;
      path_.pop_back();
      a_.shrink(x);
    }
    return kept >= depth ? kGoOn : kept;
  }

  // R(x + 1) for A(x) = v: most guesses end there.
  std::uint32_t next_of(std::uint32_t v) const {
    const std::uint32_t value = (*box_)[v];
    const std::uint32_t next = (*box_)[v ^ a_[1]];
    if (b_.has(next)) return b_.number_of(next);
    if (b_.has(value)) return b_.size();
    return b_.size() + (b_.has(next ^ value) ? b_.number_of(next ^ value) : b_.size());
  }

  detail::Budget& budget_;
  const SBox* box_ = nullptr;
  std::vector<Words> inputs_of_;  // by value
  Words first_;
  Words all_;
  Span a_{1};
  Span b_{1};
  Words current_;
  Words path_;
  Words best_;
  Words best_path_;
  Words best_b_;
  std::size_t found_ = 0;  // better ones found so far
};

// The A(1) by point that may lead to the least R. That of a permutation starts with 0, 1, 2, 3 if there are
// planes on which S sums to 0: in their directions, around their points.
std::vector<Words> starts_of(const SBox& box) {
  std::vector<Words> starts(box.size());
  for (std::uint32_t a = 1; a < box.size(); ++a) {
    std::vector<std::uint32_t> counts(std::size_t{box.last_mask()} + 1);
    for (std::uint32_t x = 0; x < box.size(); ++x) ++counts[box[x] ^ box[x ^ a]];
    for (std::uint32_t x = 0; x < box.size(); ++x)
      if (counts[box[x] ^ box[x ^ a]] > 2) starts[x].push_back(a);
  }
  const bool any = std::ranges::any_of(starts, [](const Words& directions) { return !directions.empty(); });
  return any && basic(box).permutation ? starts : std::vector<Words>(box.size(), all_inputs(box));
}

Image least_image(const SBox& box, Equivalence relation, const LeastSearch& search) {
  const auto bit = [](std::size_t i) { return std::uint32_t{1} << i; };
  const Words& path = search.path();
  detail::LinearPairs pairs;
  for (std::size_t i = 0; i < search.b_images().size(); ++i) pairs.add(search.b_images()[i], bit(i));
  pairs.complete(box.outputs());
  Witness witness{.relation = relation,
                  .a = {box.inputs(), {path.begin() + 1, path.end()}, path[0]},
                  .b = pairs.map(box.outputs())};
  if (relation == Equivalence::affine) witness.b.constant = witness.b(box[path[0]]);
  return {SBox(box.inputs(), box.outputs(), search.best()), std::move(witness)};
}

}  // namespace

std::optional<Image> canonical(const SBox& box, Equivalence relation, const SearchOptions& options) {
  if (relation > Equivalence::affine)
    throw Error(Errc::usage, "least representatives exist for linear and affine equivalence only");
  if (std::max(box.inputs(), box.outputs()) > kMaxCanonicalBits)
    throw Error(Errc::usage, "least representatives: at most " + std::to_string(kMaxCanonicalBits) +
                                 " inputs and outputs each are possible");
  detail::Budget budget(options);
  LeastSearch search(budget);
  try {
    if (relation == Equivalence::linear) {
      search.run(box, 0, all_inputs(box));
    } else {
      std::vector<Words> starts = starts_of(box);
      for (std::uint32_t point = 0; point < box.size(); ++point)
        if (!starts[point].empty()) search.run(detail::moved(box, point), point, std::move(starts[point]));
    }
  } catch (const detail::OutOfTime&) {
    return std::nullopt;
  }
  return least_image(box, relation, search);
}

}  // namespace fugu::spectral
