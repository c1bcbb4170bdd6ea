// The pairs {x, x + a} of one a: their output differences, and groups of equal ones. Internal.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fugu/spectral/sbox/boomerang.hpp"
#include "fugu/spectral/sbox/detail/rows.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral::detail {

// S(x) + S(x + a) of all pairs {x, x + a}, in 16 bits.
//
// Rows whose a has the same highest bit h differ little. Number the pairs by the smaller input p without the
// bit h; with T(p) = S(smaller) and U(p) = S(other) for a = h, the differences of a are T(p) + U(p + a + h).
class PairDifferences {
 public:
  static bool hold(const SBox& box) { return box.inputs() >= 4 && box.inputs() <= 16 && box.outputs() <= 16; }

  explicit PairDifferences(const SBox& box)
      : box_(box), smaller_(box.size() / 2), other_(box.size() / 2), differences_(box.size() / 2) {}

  // By pair, valid until the next call; a != 0.
  std::span<const std::uint16_t> of(std::uint32_t a) {
    const std::uint32_t high = std::bit_floor(a);
    if (high != high_) split(high);
    fill(a ^ high);
    return differences_;
  }

  // S of the smaller input of each pair, for the a of the last call.
  std::span<const std::uint16_t> smaller() const { return smaller_; }

  // row[b] = delta(a,b) / 2 modulo 2^8 or 2^16; a != 0. If the sum of the row's bytes is the number of pairs,
  // none of them wrapped.
  template <class T>
  void count(std::uint32_t a, std::span<T> row) {
    std::ranges::fill(row, T{0});
    for (const std::uint16_t b : of(a)) ++row[b];
  }

 private:
  static constexpr std::size_t kLanes = 8;
  using Eight [[gnu::vector_size(2 * kLanes)]] = std::uint16_t;

  void split(std::uint32_t high) {
    high_ = high;
    for (std::uint32_t pair = 0; pair < smaller_.size(); ++pair) {
      const std::uint32_t x = pair + (pair & ~(high - 1));
      smaller_[pair] = static_cast<std::uint16_t>(box_[x]);
      other_[pair] = static_cast<std::uint16_t>(box_[x ^ high]);
    }
  }

  void fill(std::uint32_t shift) {
    const std::size_t eights = shift / kLanes;
    switch (shift % kLanes) {
      case 0:
        return fill<0>(eights);
      case 1:
        return fill<1>(eights);
      case 2:
        return fill<2>(eights);
      case 3:
        return fill<3>(eights);
      case 4:
        return fill<4>(eights);
      case 5:
        return fill<5>(eights);
      case 6:
        return fill<6>(eights);
      default:
        return fill<7>(eights);
    }
  }

  // Lane i becomes lane i ^ lanes. In two steps: before SSSE3 there is no single one for 5 and 7.
  template <int lanes>
  static Eight shuffled(Eight x) {
    using Halves [[gnu::vector_size(2 * kLanes)]] = std::uint64_t;
    if constexpr ((lanes & 4) != 0) {
      const auto halves = reinterpret_cast<Halves>(x);
      x = reinterpret_cast<Eight>(__builtin_shufflevector(halves, halves, 1, 0));
    }
    constexpr int k = lanes & 3;
    return __builtin_shufflevector(x, x, k, 1 ^ k, 2 ^ k, 3 ^ k, 4 ^ k, 5 ^ k, 6 ^ k, 7 ^ k);
  }

  template <int lanes>
  void fill(std::size_t eights) {
    for (std::size_t i = 0; i < differences_.size() / kLanes; ++i) {
      Eight x;
      Eight y;
      std::memcpy(&x, &smaller_[i * kLanes], sizeof(x));
      std::memcpy(&y, &other_[(i ^ eights) * kLanes], sizeof(y));
      x ^= shuffled<lanes>(y);
      std::memcpy(&differences_[i * kLanes], &x, sizeof(x));
    }
  }

  const SBox& box_;
  std::uint32_t high_ = 0;
  std::vector<std::uint16_t> smaller_;
  std::vector<std::uint16_t> other_;
  std::vector<std::uint16_t> differences_;
};

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

// Rows of the boomerang tables of permutations: boomerang.cpp explains the entries.

// For permutations, whose entries are at most 2^n. No row is read again: the final entries follow from their
// values before each addition.
template <class Half>
class PermutationBoomerang {
 public:
  explicit PermutationBoomerang(const SBox& box)
      : box_(box),
        groups_(box),
        quarter_phi_(box.size() / 2),
        pairs_met_(box.size()),
        beta_met_(box.size()),
        phi_met_(box.size()) {}

  // Returns the number of two pairs of one group.
  std::uint64_t operator()(std::uint64_t index) {
    ++rows_;
    std::uint64_t twos = 0;
    std::ranges::fill(quarter_phi_, Half{0});
    pairs_met_[0] += box_.size() / 2 - groups_.group(static_cast<std::uint32_t>(index));
    const auto add_to_beta = [&](std::uint32_t b) {
      Half& half_beta = groups_[b].half_beta;
      ++beta_met_[half_beta];
      half_beta = static_cast<Half>(half_beta + 2);
    };
    groups_.for_each_two(
        [&](std::uint32_t d, std::uint32_t p, std::uint32_t q) {
          const std::uint32_t b = box_[groups_.input_of(p)] ^ box_[groups_.input_of(q)];
          add_to_beta(b);
          add_to_beta(b ^ d);
          ++phi_met_[quarter_phi_[p ^ q]++];
        },
        [&](std::size_t others) {
          ++pairs_met_[others];
          twos += others;
        });
    return twos;
  }

  // All entries start at 0, and each addition moves one. Numbers may be negative, modulo 2^64, until all
  // workers are merged. Pairs never add to beta(a, 0), nor to phi(a, 0) and phi(a, a).
  void merge_into(Boomerang& result) const {
    const auto move = [](Histogram& histogram, std::size_t from, std::size_t by, std::uint64_t entries) {
      if (entries == 0) return;
      histogram[static_cast<std::int64_t>(from)] -= entries;
      histogram[static_cast<std::int64_t>(from + by)] += entries;
    };
    result.bct[0] += rows_ * box_.last_mask();
    result.fbct[0] += rows_ * (box_.size() - 2);
    for (std::size_t i = 0; i < box_.size(); ++i) {
      move(result.bct, 2 * i, 2, pairs_met_[i]);
      move(result.bct, 2 * i, 4, beta_met_[i]);
      move(result.fbct, 4 * i, 4, 2 * phi_met_[i]);
    }
  }

 private:
  const SBox& box_;
  PairGroups<Half> groups_;
  std::vector<Half> quarter_phi_;  // of the entries x and x + a, by pair
  std::uint64_t rows_ = 0;
  std::vector<std::uint64_t> pairs_met_;  // by half the entry before a pair was added: number of pairs
  std::vector<std::uint64_t> beta_met_;   // by the same before 4 was added: number of additions
  std::vector<std::uint64_t> phi_met_;    // by a quarter of the entry before 4 was added: number of additions
};

// For permutations of 7 to 16 bits: beta / 2 and phi / 4 of a row in bytes, if all are small.
class SmallPermutationBoomerang : public PermutationBoomerang<std::uint16_t> {
 public:
  static bool hold(const SBox& box) { return PairDifferences::hold(box) && box.inputs() >= 7; }

  explicit SmallPermutationBoomerang(const SBox& box)
      : PermutationBoomerang(box),
        differences_(box),
        last_(box.size()),
        before_(box.size() / 2),
        meetings_(box.size() / 2 + 1),
        more_meetings_(meetings_.size()),
        half_beta_(box.size()),
        quarter_phi_(box.size() / 2) {}

  // A row is often like the last.
  void operator()(std::uint64_t index) {
    if (!small_ || !take_small(static_cast<std::uint32_t>(index)))
      small_ = PermutationBoomerang::operator()(index) <= most_twos();
  }

  void merge_into(Boomerang& result) const {
    PermutationBoomerang::merge_into(result);
    for (std::size_t i = 0; i < beta_counts_.size(); ++i) {
      result.bct[static_cast<std::int64_t>(2 * i)] += beta_counts_[i];
      result.fbct[static_cast<std::int64_t>(4 * i)] += 2 * phi_counts_[i];
    }
  }

 private:
  struct Meeting {
    std::uint16_t pair;
    std::uint16_t other;  // of its group, its number plus 1
  };

  std::uint64_t most_twos() const { return last_.size(); }

  // Skips entries that pairs never add to: beta(a,0), phi(a,0) and phi(a,a).
  bool take_small(std::uint32_t a) {
    const auto differences = differences_.of(a);
    const std::size_t met = group(differences);
    std::ranges::fill(half_beta_, std::uint8_t{0});
    std::ranges::fill(quarter_phi_, std::uint8_t{0});
    for (const Meeting& meeting : std::span(meetings_).first(met)) ++half_beta_[differences[meeting.pair]];
    for (std::size_t d = 0; d < last_.size(); ++d)
      half_beta_[d] = static_cast<std::uint8_t>(half_beta_[d] + (last_[d] != 0 ? 1 : 0));
    const std::optional<std::uint64_t> twos = add_twos(differences, met);
    std::array<std::uint64_t, kCounts> beta_counts{};
    std::array<std::uint64_t, kCounts> phi_counts{};
    if (!twos || !rows_.count(half_beta_, differences.size() + 4 * *twos, beta_counts) ||
        !rows_.count(quarter_phi_, *twos, phi_counts))
      return false;
    --beta_counts[0];
    --phi_counts[0];
    for (std::size_t i = 0; i < kCounts; ++i) {
      beta_counts_[i] += beta_counts[i];
      phi_counts_[i] += phi_counts[i];
    }
    return true;
  }

  // Returns how many pairs met another of their group.
  std::size_t group(std::span<const std::uint16_t> differences) {
    std::ranges::fill(last_, std::uint16_t{0});
    std::size_t met = 0;
    for (std::size_t pair = 0; pair < differences.size(); ++pair) {
      const auto other = std::exchange(last_[differences[pair]], static_cast<std::uint16_t>(pair + 1));
      before_[pair] = other;
      meetings_[met] = {static_cast<std::uint16_t>(pair), other};
      met += other != 0 ? 1u : 0u;
    }
    return met;
  }

  // Combines each pair with the last of its group before it, then with the one before that, and so on.
  // Returns the number of combinations; empty if there are too many.
  std::optional<std::uint64_t> add_twos(std::span<const std::uint16_t> differences, std::size_t met) {
    const auto values = differences_.smaller();
    std::uint64_t twos = 0;
    while (met != 0) {
      twos += met;
      if (twos > most_twos()) return std::nullopt;
      std::size_t more = 0;
      for (const Meeting& meeting : std::span(meetings_).first(met)) {
        const std::size_t p = meeting.pair;
        const std::size_t q = meeting.other - std::size_t{1};
        const std::size_t b = values[p] ^ values[q];
        half_beta_[b] = static_cast<std::uint8_t>(half_beta_[b] + 2);
        half_beta_[b ^ differences[p]] = static_cast<std::uint8_t>(half_beta_[b ^ differences[p]] + 2);
        ++quarter_phi_[p ^ q];
        more_meetings_[more] = {meeting.pair, before_[q]};
        more += before_[q] != 0 ? 1u : 0u;
      }
      met = more;
      meetings_.swap(more_meetings_);
    }
    return twos;
  }

  static constexpr std::size_t kCounts = ByteRows::kLargest + 1;

  bool small_ = true;  // whether to try bytes for the next row
  ByteRows rows_;
  PairDifferences differences_;
  std::vector<std::uint16_t> last_;    // by group: its last pair, its number plus 1; 0: none
  std::vector<std::uint16_t> before_;  // by pair: the previous one of its group, its number plus 1
  std::vector<Meeting> meetings_;
  std::vector<Meeting> more_meetings_;
  std::vector<std::uint8_t> half_beta_;
  std::vector<std::uint8_t> quarter_phi_;  // of the entries x and x + a, by pair
  std::array<std::uint64_t, kCounts> beta_counts_{};
  std::array<std::uint64_t, kCounts> phi_counts_{};
};

}  // namespace fugu::spectral::detail
