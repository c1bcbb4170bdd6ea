// Boomerang tables by rows: inputs are grouped by S(x) + S(x + a), and two of one group make an entry.
//
// x and x + a are in one group, so that pairs {x, x + a} are grouped. Two such pairs with the output
// difference d and representatives x, y are eight ordered (x,y): four of them add to the entries S(x) + S(y)
// of beta and x + y of phi, four to those entries plus d and a. A pair with itself adds 2 to d, and to a.
#include "fugu/spectral/sbox/boomerang.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "fugu/error.hpp"
#include "fugu/spectral/sbox/detail/byte_row.hpp"
#include "fugu/spectral/sbox/detail/pair_differences.hpp"
#include "fugu/spectral/sbox/detail/row_counter.hpp"
#include "fugu/spectral/sbox/detail/rows.hpp"

namespace fugu::spectral {
namespace {

// The pairs {x, x + a} of one row by their groups. x has no bit where a has its highest: without that bit it
// is the pair's number. Half holds numbers of pairs, plus 1.
template <class Half>
class PairGroups {
 public:
  struct Group {
    Half last;       // the pair met last, its number plus 1; 0: none
    Half half_beta;  // beta / 2: the pairs so far, and what the caller adds
  };

  explicit PairGroups(const SBox& box)
      : box_(box),
        groups_(std::size_t{box.last_mask()} + 1),
        before_(box.size() / 2),
        meetings_(box.size() / 2) {}

  // What was added before is gone. Returns how many pairs met another of their group.
  std::size_t group(std::uint32_t a) {
    std::ranges::fill(groups_, Group{});
    high_ = std::bit_floor(a);
    met_ = 0;
    std::uint32_t pair = 0;
    detail::for_each_pair(box_, a, [&](std::uint32_t, std::uint32_t d) {
      Group& group = groups_[d];
      meetings_[met_] = {d, pair};
      met_ += group.last != 0 ? 1u : 0u;
      before_[pair] = std::exchange(group.last, static_cast<Half>(pair + 1));
      group.half_beta = static_cast<Half>(group.half_beta + 1);
      ++pair;
    });
    return met_;
  }

  // visit(d, p, q) for each two pairs of the group d, then end(how many q there were) for each p.
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
  std::vector<Half> before_;  // by pair: that of the same group met before, its number plus 1; 0: none
  std::vector<Meeting> meetings_;
  std::size_t met_ = 0;
  std::uint32_t high_ = 1;
};

// Of a permutation, whose entries are 2^n at most. No row is read again: from what entries held before each
// addition follows what they hold in the end.
template <class Half>
class PermutationWorker {
 public:
  explicit PermutationWorker(const SBox& box)
      : box_(box),
        groups_(box),
        quarter_phi_(box.size() / 2),
        pairs_met_(box.size()),
        beta_met_(box.size()),
        phi_met_(box.size()) {}

  // Returns how many two pairs were of one group.
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

  // All entries are 0 at first, and each addition moves one. Numbers may be below 0, modulo 2^64, until all
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
  std::vector<std::uint64_t> pairs_met_;  // by an entry's half before a pair was added: pairs
  std::vector<std::uint64_t> beta_met_;   // by the same before 4 were added: additions
  std::vector<std::uint64_t> phi_met_;    // by an entry's quarter before 4 were added: additions
};

// Of a permutation of 7 to 16 bits: beta / 2 and phi / 4 of a row in bytes, if all are small.
class SmallPermutationWorker : public PermutationWorker<std::uint16_t> {
 public:
  static bool hold(const SBox& box) { return detail::PairDifferences::hold(box) && box.inputs() >= 7; }

  explicit SmallPermutationWorker(const SBox& box)
      : PermutationWorker(box),
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
      small_ = PermutationWorker::operator()(index) <= most_twos();
  }

  void merge_into(Boomerang& result) const {
    PermutationWorker::merge_into(result);
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

  // Entries that pairs never add to are left out: beta(a,0), phi(a,0) and phi(a,a).
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

  // Each pair with the last of its group before it, then with the one before that, and so on. Returns how
  // many two they are; none: too many.
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

  static constexpr std::size_t kCounts = detail::ByteRows::kLargest + 1;

  bool small_ = true;  // are entries of the next row, it seems
  detail::ByteRows rows_;
  detail::PairDifferences differences_;
  std::vector<std::uint16_t> last_;    // by group: the pair met last, its number plus 1; 0: none
  std::vector<std::uint16_t> before_;  // by pair: that of the same group met before, its number plus 1
  std::vector<Meeting> meetings_;
  std::vector<Meeting> more_meetings_;
  std::vector<std::uint8_t> half_beta_;
  std::vector<std::uint8_t> quarter_phi_;  // of the entries x and x + a, by pair
  std::array<std::uint64_t, kCounts> beta_counts_{};
  std::array<std::uint64_t, kCounts> phi_counts_{};
};

// The groups of any box: above kMaxOutputsOfAll outputs, pairs are sorted by them.
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
  std::optional<PairGroups<std::uint32_t>> groups_;
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
    for (std::size_t i = 0; i < small_.size(); ++i) {
      if (small_[i] != 0) histogram[static_cast<std::int64_t>(2 * i)] += small_[i];
    }
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
  // Entries but that of 0; phi has no pairs that add to the entry a either.
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

bool is_permutation(const SBox& box) {
  if (box.inputs() != box.outputs()) return false;
  std::vector<bool> met(box.size());
  for (const std::uint32_t value : box.values()) met[value] = true;
  return std::ranges::find(met, false) == met.end();
}

Boomerang histograms_of(const SBox& box, const SBoxOptions& options) {
  if (!is_permutation(box)) return boomerang_by<FunctionWorker>(box, options);
  if (SmallPermutationWorker::hold(box)) return boomerang_by<SmallPermutationWorker>(box, options);
  if (box.inputs() > std::numeric_limits<std::uint16_t>::digits)
    return boomerang_by<PermutationWorker<std::uint32_t>>(box, options);
  return boomerang_by<PermutationWorker<std::uint16_t>>(box, options);
}

}  // namespace

void complete(Boomerang& boomerang) {
  boomerang.uniformity = static_cast<std::uint32_t>(boomerang.bct.rbegin()->first);
  if (!boomerang.fbct.empty())
    boomerang.feistel_uniformity = static_cast<std::uint32_t>(boomerang.fbct.rbegin()->first);
}

Boomerang boomerang(const SBox& box, const SBoxOptions& options) try {
  Boomerang result = histograms_of(box, options);
  complete(result);
  return result;
} catch (...) {
  rethrow_as_error();
}

void bct_row(const SBox& box, std::uint32_t a, std::span<std::int32_t> row) try {
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
} catch (...) {
  rethrow_as_error();
}

void fbct_row(const SBox& box, std::uint32_t a, std::span<std::int32_t> row) try {
  const auto all = static_cast<std::int32_t>(box.size());
  std::ranges::fill(row, a == 0 ? all : 0);
  if (a == 0) return;
  row[0] = row[a] = all;
  AnyGroups(box).for_each_two(a, [&](std::uint32_t, std::uint32_t x, std::uint32_t y) {
    row[x ^ y] += 4;
    row[x ^ y ^ a] += 4;
  });
} catch (...) {
  rethrow_as_error();
}

}  // namespace fugu::spectral
