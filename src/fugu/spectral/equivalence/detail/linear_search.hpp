// The search for linear permutations A and B with B(S(x)) = T(A(x)). Internal.
#pragma once

#include <optional>
#include <unordered_map>

#include "fugu/spectral/detail/decimal.hpp"
#include "fugu/spectral/equivalence/affine_map.hpp"
#include "fugu/spectral/equivalence/detail/budget.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral::detail {

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
  bool extend(std::uint32_t x, std::uint32_t y);
  // Extends to all of the space, by any images.
  void complete();
  // Forgets all but the first `size` known.
  void shrink(std::size_t size);

  AffineMap map() const;

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

}  // namespace fugu::spectral::detail
