// Boomerang tables by rows: inputs are grouped by S(x) + S(x + a), and two of one group make an entry.
//
// x and x + a are in one group, so that pairs {x, x + a} are grouped. Two such pairs with the output
// difference d and representatives x, y are eight ordered (x,y): four of them add to the entries S(x) + S(y)
// of beta and x + y of phi, four to those entries plus d and a. A pair with itself adds 2 to d, and to a.
#include "fugu/spectral/sbox/boomerang.hpp"

#include <algorithm>
#include <utility>

#include "fugu/error.hpp"
#include "fugu/spectral/sbox/detail/row_counter.hpp"
#include "fugu/spectral/sbox/detail/rows.hpp"

namespace fugu::spectral {
namespace {

// The members of one group after the other.
class Groups {
 public:
  explicit Groups(const SBox& box) : box_(box), sorted_(box.outputs() > kMaxOutputsOfAll) {
    if (!sorted_) first_.assign(std::size_t{box.last_mask()} + 1, kNone);
    next_.resize(box.size());
    members_.reserve(box.size() / 2);
  }

  // visit(d, x, y) for each two pairs {x, x + a}, {y, y + a} with S(x) + S(x + a) = d = S(y) + S(y + a).
  template <class Visit>
  void for_each_two(std::uint32_t a, Visit visit) {
    sorted_ ? by_sorting(a, visit) : by_lists(a, visit);
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  template <class Visit>
  void by_lists(std::uint32_t a, Visit visit) {
    detail::for_each_pair(box_, a, [&](std::uint32_t x, std::uint32_t d) {
      for (std::uint32_t y = first_[d]; y != kNone; y = next_[y]) visit(d, x, y);
      next_[x] = std::exchange(first_[d], x);
    });
    detail::for_each_pair(box_, a, [&](std::uint32_t, std::uint32_t d) { first_[d] = kNone; });
  }

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
  bool sorted_;
  std::vector<std::uint32_t> first_;    // by d: the pair met last
  std::vector<std::uint32_t> next_;     // by x: the pair of the same group met before
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

class BoomerangWorker {
 public:
  explicit BoomerangWorker(const SBox& box)
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
  Groups groups_;
  detail::RowCounter beta_;
  detail::RowCounter phi_;
  EvenCounter bct_;
  EvenCounter fbct_;
};

}  // namespace

Boomerang boomerang(const SBox& box, const SBoxOptions& options) try {
  Boomerang result;
  detail::for_each_row(
      1, box.size(), 4 * box.size(), options, [&] { return BoomerangWorker(box); },
      [&](const BoomerangWorker& worker) { worker.merge_into(result); });
  result.uniformity = static_cast<std::uint32_t>(result.bct.rbegin()->first);
  if (!result.fbct.empty())
    result.feistel_uniformity = static_cast<std::uint32_t>(result.fbct.rbegin()->first);
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
  Groups(box).for_each_two(a, [&](std::uint32_t d, std::uint32_t x, std::uint32_t y) {
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
  Groups(box).for_each_two(a, [&](std::uint32_t, std::uint32_t x, std::uint32_t y) {
    row[x ^ y] += 4;
    row[x ^ y ^ a] += 4;
  });
} catch (...) {
  rethrow_as_error();
}

}  // namespace fugu::spectral
