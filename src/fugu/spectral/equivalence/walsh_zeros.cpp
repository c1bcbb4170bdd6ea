// Subspaces of the zeros by their reduced bases: each vector has a higher top bit than those before it and 0
// at theirs, and only vectors z with z + U in Z remain candidates for a space U.
#include "fugu/spectral/equivalence/walsh_zeros.hpp"

#include "fugu/spectral/equivalence/detail/searches.hpp"
#include "fugu/spectral/sbox/basic.hpp"

namespace fugu::spectral {
namespace {

using Vectors = std::vector<std::uint32_t>;

int top_bit(std::uint32_t v) {
  return static_cast<int>(std::bit_width(v)) - 1;
}

// Ascending, without 0.
Vectors zeros_of(const SBox& box) {
  const int bits = box.inputs() + box.outputs();
  std::vector<std::int32_t> values(std::size_t{1} << bits);
  for (std::uint32_t x = 0; x < box.size(); ++x) values[x << box.outputs() | box[x]] = 1;
  walsh(std::span(values), bits, {.threads = 1});
  Vectors zeros;
  for (std::uint32_t z = 1; z < values.size(); ++z)
    if (values[z] == 0) zeros.push_back(z);
  return zeros;
}

int thickness_of(const Vectors& basis, std::uint32_t b_mask) {
  detail::LinearPairs pairs;
  for (const std::uint32_t v : basis) pairs.add(v & b_mask, v & b_mask);
  return pairs.rank();
}

class SpaceSearch {
 public:
  SpaceSearch(const SBox& box, detail::Budget& budget, std::vector<Vectors>& bases)
      : budget_(budget),
        bases_(bases),
        bits_(box.inputs() + box.outputs()),
        dimension_(box.inputs()),
        depth_of_(std::size_t{1} << bits_) {}

  void run(const Vectors& zeros) {
    for (const std::uint32_t z : zeros) depth_of_[z] = 1;
    search(zeros);
  }

 private:
  // The vectors of a space of dimension d have d top bits; 2^i of them have the i-th smallest, i = 0, 1, ...
  bool may_suffice(const Vectors& candidates, int missing) const {
    std::vector<std::uint32_t> counts(static_cast<std::size_t>(bits_));
    for (const std::uint32_t z : candidates) ++counts[static_cast<std::size_t>(top_bit(z))];
    int found = 0;
    for (const std::uint32_t count : counts)
      if (count >= std::uint32_t{1} << found) ++found;
    return found >= missing;
  }

  void search(const Vectors& candidates) {
    const int missing = dimension_ - static_cast<int>(basis_.size());
    if (missing == 0) bases_.push_back(basis_);
    if (missing == 0 || !may_suffice(candidates, missing)) return;
    for (const std::uint32_t v : candidates) {
      if (top_bit(v) > bits_ - missing || bases_.size() == kMaxZeroSpaces) return;
      const auto higher = std::ranges::lower_bound(candidates, 2 * std::bit_floor(v));
      budget_.spend(1 + static_cast<std::uint64_t>(candidates.end() - higher));
      extend({higher, candidates.end()}, v);
    }
  }

  // depth_of_[z] - 1 is the dimension of the largest part of the basis for which z is a candidate.
  void extend(std::span<const std::uint32_t> higher, std::uint32_t v) {
    const auto depth = static_cast<std::uint8_t>(basis_.size() + 1);
    const std::uint32_t top = std::bit_floor(v);
    Vectors rest;
    for (const std::uint32_t z : higher)
      if ((z & top) == 0 && depth_of_[z ^ v] >= depth) rest.push_back(z);
    for (const std::uint32_t z : rest) depth_of_[z] = static_cast<std::uint8_t>(depth + 1);
    basis_.push_back(v);
    search(rest);
    basis_.pop_back();
    for (const std::uint32_t z : rest) depth_of_[z] = depth;
  }

  detail::Budget& budget_;
  std::vector<Vectors>& bases_;
  int bits_;
  int dimension_;
  std::vector<std::uint8_t> depth_of_;
  Vectors basis_;
};

}  // namespace

WalshZeroSpaces walsh_zero_spaces(const SBox& box, const SearchOptions& options) {
  if (!has_search(box, Equivalence::ccz)) {
    throw Error(Errc::usage, "Walsh-zero spaces: at most " + std::to_string(kMaxGraphBits) +
                                 " inputs and outputs together are possible");
  }
  detail::Budget budget(options);
  std::vector<Vectors> bases;
  bool complete = true;
  try {
    const std::optional<SBox> pi = ortho_derivative(box);
    if (pi && basic(*pi).permutation)
      detail::append_quadratic_zeros(box, *pi, kMaxZeroSpaces, budget, bases);
    else
      SpaceSearch(box, budget, bases).run(zeros_of(box));
  } catch (const detail::OutOfTime&) {
    complete = false;
  }
  std::vector<WalshZeroSpace> spaces;
  for (const Vectors& basis : bases) spaces.push_back({basis, thickness_of(basis, box.last_mask())});
  return {complete && spaces.size() < kMaxZeroSpaces, budget.steps(), std::move(spaces)};
}

Histogram thickness_spectrum(const std::vector<WalshZeroSpace>& spaces) {
  Histogram spectrum;
  for (const WalshZeroSpace& space : spaces) ++spectrum[space.thickness];
  return spectrum;
}

}  // namespace fugu::spectral
