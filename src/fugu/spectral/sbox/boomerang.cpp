// Boomerang tables by rows: inputs are grouped by S(x) + S(x + a), and two inputs of one group make an entry.
//
// x and x + a are in one group, so pairs {x, x + a} are grouped. Two such pairs with the output difference d
// and representatives x, y give eight ordered (x,y): four of them add to the entries S(x) + S(y) of beta and
// x + y of phi, four to those entries plus d and a. A pair with itself adds 2 to d, and to a.
#include "fugu/spectral/sbox/boomerang.hpp"

#include "fugu/spectral/sbox/basic.hpp"
#include "fugu/spectral/sbox/detail/rows.hpp"

namespace fugu::spectral {
namespace {

// The pairs {x, x + a} of one row by group. x lacks the highest bit of a: without that bit it is the pair's
// number.
class PairGroups {
 public:
  struct Group {
    std::uint32_t last;       // the last pair of the group, its number plus 1; 0: none
    std::uint32_t half_beta;  // beta / 2: the pairs so far, and the caller's additions
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
    detail::for_each_pair(box_, a, [&](std::uint32_t, std::uint32_t d) {
      Group& group = groups_[d];
      meetings_[met_] = {d, pair};
      met_ += group.last != 0 ? 1u : 0u;
      before_[pair] = std::exchange(group.last, pair + 1);
      ++group.half_beta;
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
  std::vector<std::uint32_t>
      before_;  // by pair: the previous pair of the same group, its number plus 1; 0: none
  std::vector<Meeting> meetings_;
  std::size_t met_ = 0;
  std::uint32_t high_ = 1;
};

// The groups of any box: above kMaxOutputsOfAll outputs, pairs are sorted by group.
class AnyGroups {
 public:
  explicit AnyGroups(const SBox& box) : box_(box) {
    if (box.outputs() <= kMaxOutputsOfAll) {
      groups_.emplace(box);
    } else {
      members_.reserve(box.size() / 2);
    }
  }

  // visit(d, x, y) for each two pairs {x, x + a}, {y, y + a} with S(x) + S(x + a) = d = S(y) + S(y + a).
  template <class Visit>
  void for_each_two(std::uint32_t a, Visit visit) {
    if (!groups_) return by_sorting(a, visit);
    groups_->group(a);
    groups_->for_each_two([&](std::uint32_t d, std::uint32_t p,
                              std::uint32_t q) { visit(d, groups_->input_of(p), groups_->input_of(q)); },
                          [](std::size_t) {});
  }

 private:
  template <class Visit>
  void by_sorting(std::uint32_t a, Visit visit) {
    members_.clear();
    detail::for_each_pair(
        box_, a, [&](std::uint32_t x, std::uint32_t d) { members_.push_back(std::uint64_t{d} << 32 | x); });
    std::ranges::sort(members_);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const auto d = static_cast<std::uint32_t>(members_[i] >> 32);
      for (std::size_t j = i + 1; j < members_.size() && members_[j] >> 32 == d; ++j)
        visit(d, static_cast<std::uint32_t>(members_[i]), static_cast<std::uint32_t>(members_[j]));
    }
  }

  const SBox& box_;
  std::optional<PairGroups> groups_;
  std::vector<std::uint64_t> members_;  // d, x
};

// Counts even values. Most are small: those have an array, the others a map.
class EvenCounter {
 public:
  explicit EvenCounter(std::size_t largest) : small_(largest / 2 + 1) {}

  void add(std::uint64_t value, std::uint64_t times) {
    if (value / 2 < small_.size()) {
      small_[static_cast<std::size_t>(value / 2)] += times;
    } else {
      large_[static_cast<std::int64_t>(value)] += times;
    }
  }

  void merge_into(Histogram& histogram) const {
    detail::add_counts(small_, 0, 2, histogram);
    for (const auto& [value, times] : large_) histogram[value] += times;
  }

 private:
  std::vector<std::uint64_t> small_;
  Histogram large_;
};

class FunctionWorker {
 public:
  explicit FunctionWorker(const SBox& box)
      : box_(box),
        groups_(box),
        beta_(box.outputs(), box.size()),
        phi_(box.inputs(), box.size()),
        bct_(box.size()),
        fbct_(box.size()) {}

  void operator()(std::uint64_t index) {
    const auto a = static_cast<std::uint32_t>(index);
    detail::for_each_pair(box_, a, [&](std::uint32_t, std::uint32_t d) { beta_.add(d, 2); });
    groups_.for_each_two(a, [&](std::uint32_t d, std::uint32_t x, std::uint32_t y) {
      const std::uint32_t b = box_[x] ^ box_[y];
      beta_.add(b, 4);
      beta_.add(b ^ d, 4);
      phi_.add(x ^ y, 4);
      phi_.add(x ^ y ^ a, 4);
    });
    count(beta_, box_.last_mask(), bct_);
    count(phi_, box_.size() - 2, fbct_);
  }

  void merge_into(Boomerang& result) const {
    bct_.merge_into(result.bct);
    fbct_.merge_into(result.fbct);
  }

 private:
  // All entries except that of 0; for phi, no pairs add to the entry a either.
  static void count(detail::RowCounter& row, std::uint64_t entries, EvenCounter& counter) {
    std::uint64_t nonzero = 0;
    row.drain([&](std::uint32_t b, std::uint32_t value) {
      if (b == 0) return;
      ++nonzero;
      counter.add(value, 1);
    });
    counter.add(0, entries - nonzero);
  }

  const SBox& box_;
  AnyGroups groups_;
  detail::RowCounter beta_;
  detail::RowCounter phi_;
  EvenCounter bct_;
  EvenCounter fbct_;
};

// For permutations, whose entries are at most 2^n. No row is read again: the final entries follow from their
// values before each addition.
class PermutationWorker {
 public:
  explicit PermutationWorker(const SBox& box)
      : box_(box),
        groups_(box),
        quarter_phi_(box.size() / 2),
        pairs_met_(box.size()),
        beta_met_(box.size()),
        phi_met_(box.size()) {}

  void operator()(std::uint64_t index) {
    ++rows_;
    std::ranges::fill(quarter_phi_, 0u);
    pairs_met_[0] += box_.size() / 2 - groups_.group(static_cast<std::uint32_t>(index));
    const auto add_to_beta = [&](std::uint32_t b) {
      std::uint32_t& half_beta = groups_[b].half_beta;
      ++beta_met_[half_beta];
      half_beta += 2;
    };
    groups_.for_each_two(
        [&](std::uint32_t d, std::uint32_t p, std::uint32_t q) {
          const std::uint32_t b = box_[groups_.input_of(p)] ^ box_[groups_.input_of(q)];
          add_to_beta(b);
          add_to_beta(b ^ d);
          ++phi_met_[quarter_phi_[p ^ q]++];
        },
        [&](std::size_t others) { ++pairs_met_[others]; });
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
  PairGroups groups_;
  std::vector<std::uint32_t> quarter_phi_;  // for the entries x and x + a, by pair
  std::uint64_t rows_ = 0;
  std::vector<std::uint64_t> pairs_met_;  // by half the entry before a pair was added: number of pairs
  std::vector<std::uint64_t> beta_met_;   // by the same before 4 was added: number of additions
  std::vector<std::uint64_t> phi_met_;    // by a quarter of the entry before 4 was added: number of additions
};

template <class Worker>
Boomerang boomerang_by(const SBox& box, const SBoxOptions& options) {
  Boomerang result;
  detail::for_each_row(
      1, box.size(), 4 * box.size(), options, [&] { return Worker(box); },
      [&](const Worker& worker) { worker.merge_into(result); });
  for (Histogram* const histogram : {&result.bct, &result.fbct})
    std::erase_if(*histogram, [](const auto& entry) { return entry.second == 0; });
  return result;
}

}  // namespace

void complete(Boomerang& boomerang) {
  boomerang.uniformity = static_cast<std::uint32_t>(boomerang.bct.rbegin()->first);
  if (!boomerang.fbct.empty())
    boomerang.feistel_uniformity = static_cast<std::uint32_t>(boomerang.fbct.rbegin()->first);
}

Boomerang boomerang(const SBox& box, const SBoxOptions& options) {
  Boomerang result = basic(box).permutation ? boomerang_by<PermutationWorker>(box, options)
                                            : boomerang_by<FunctionWorker>(box, options);
  complete(result);
  return result;
}

void bct_row(const SBox& box, std::uint32_t a, std::span<std::int32_t> row) {
  std::ranges::fill(row, 0);
  row[0] = static_cast<std::int32_t>(box.size());
  if (a == 0) {
    for (std::size_t x = 0; x < box.size(); ++x) {
      for (std::size_t y = 0; y < x; ++y) row[box[x] ^ box[y]] += 2;
    }
    return;
  }
  detail::for_each_pair(box, a, [&](std::uint32_t, std::uint32_t d) { row[d] += 2; });
  AnyGroups(box).for_each_two(a, [&](std::uint32_t d, std::uint32_t x, std::uint32_t y) {
    const std::uint32_t b = box[x] ^ box[y];
    row[b] += 4;
    row[b ^ d] += 4;
  });
}

void fbct_row(const SBox& box, std::uint32_t a, std::span<std::int32_t> row) {
  const auto all = static_cast<std::int32_t>(box.size());
  std::ranges::fill(row, a == 0 ? all : 0);
  if (a == 0) return;
  row[0] = row[a] = all;
  AnyGroups(box).for_each_two(a, [&](std::uint32_t, std::uint32_t x, std::uint32_t y) {
    row[x ^ y] += 4;
    row[x ^ y ^ a] += 4;
  });
}

}  // namespace fugu::spectral
