// Groups the pairs {x, x + a} of one a by their output difference. Internal.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fugu/spectral/sbox/detail/rows.hpp"

namespace fugu::spectral::detail {

// The pairs {x, x + a} of one row by group. x lacks the highest bit of a: without that bit it is the pair's
// number. Half holds numbers of pairs, plus 1.
template <class Half>
class PairGroups {
 public:
  struct Group {
    Half last;       // the last pair of the group, its number plus 1; 0: none
    Half half_beta;  // beta / 2: the pairs so far, and the caller's additions
  };

  explicit PairGroups(const SBox& box)
      : box_(box),
        groups_(std::size_t{box.last_mask()} + 1),
        before_(box.size() / 2),
        meetings_(box.size() / 2) {}

  // Discards earlier additions. Returns how many pairs met another of their group.
  std::size_t group(std::uint32_t a) {
    std::ranges::fill(groups_, Group{});
    high_ = std::bit_floor(a);
    met_ = 0;
    std::uint32_t pair = 0;
    for_each_pair(box_, a, [&](std::uint32_t, std::uint32_t d) {
      Group& group = groups_[d];
      meetings_[met_] = {d, pair};
      met_ += group.last != 0 ? 1u : 0u;
      before_[pair] = std::exchange(group.last, static_cast<Half>(pair + 1));
      group.half_beta = static_cast<Half>(group.half_beta + 1);
      ++pair;
    });
    return met_;
  }

  // visit(d, p, q) for each two pairs of the group d, then end(number of q) for each p.
  template <class Visit, class End>
  void for_each_two(Visit visit, End end) const {
    for (const auto& [d, pair] : std::span(meetings_).first(met_)) {
      std::size_t others = 0;
      for (std::uint32_t other = before_[pair]; other != 0; other = before_[other - 1], ++others)
        visit(d, pair, other - 1);
      end(others);
    }
  }

  // The smaller input of a pair; linear.
  std::uint32_t input_of(std::uint32_t pair) const { return pair + (pair & ~(high_ - 1)); }

  Group& operator[](std::uint32_t d) { return groups_[d]; }

 private:
  struct Meeting {
    std::uint32_t group;
    std::uint32_t pair;
  };

  const SBox& box_;
  std::vector<Group> groups_;
  std::vector<Half> before_;  // by pair: the previous pair of the same group, its number plus 1; 0: none
  std::vector<Meeting> meetings_;
  std::size_t met_ = 0;
  std::uint32_t high_ = 1;
};

}  // namespace fugu::spectral::detail
