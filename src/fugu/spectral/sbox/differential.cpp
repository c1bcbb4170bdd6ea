// Differential properties, row by row: the table is never stored.
#include "fugu/spectral/sbox/differential.hpp"

#include <algorithm>
#include <bit>

#include "fugu/error.hpp"
#include "fugu/spectral/sbox/detail/row_counter.hpp"
#include "fugu/spectral/sbox/detail/rows.hpp"

namespace fugu::spectral {
namespace {

class DifferenceWorker {
 public:
  explicit DifferenceWorker(const SBox& box)
      : box_(box), row_(box.outputs(), box.size() / 2), counts_(box.size() / 2 + 1) {}

  void operator()(std::uint64_t index) {
    const auto a = static_cast<std::uint32_t>(index);
    detail::for_each_pair(box_, a, [&](std::uint32_t, std::uint32_t b) { row_.add(b, 2); });
    counts_[0] += std::uint64_t{box_.last_mask()} + 1 - row_.nonzero();
    const int weight = std::popcount(a);
    const bool may_be_light = weight == 1 || weight < lightest_;
    row_.drain([&](std::uint32_t b, std::uint32_t count) {
      ++counts_[count / 2];
      if (b == 0) largest_zero_ = std::max(largest_zero_, count);
      if (may_be_light) note_weight(weight, std::popcount(b));
    });
  }

  void merge_into(Differential& result) const {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] != 0) result.ddt[static_cast<std::int64_t>(2 * i)] += counts_[i];
    }
    result.largest_zero = std::max(result.largest_zero, largest_zero_);
    result.branch_number = std::min(result.branch_number, lightest_);
    result.one_bit_to_one += one_bit_to_one_;
  }

 private:
  void note_weight(int a_weight, int b_weight) {
    lightest_ = std::min(lightest_, a_weight + b_weight);
    if (a_weight == 1 && b_weight == 1) ++one_bit_to_one_;
  }

  const SBox& box_;
  detail::RowCounter row_;
  std::vector<std::uint64_t> counts_;  // of delta / 2
  std::uint32_t largest_zero_ = 0;
  int lightest_ = kMaxInputs + kMaxOutputs;
  std::uint64_t one_bit_to_one_ = 0;
};

}  // namespace

Differential differential(const SBox& box, const SBoxOptions& options) try {
  Differential result;
  result.branch_number = kMaxInputs + kMaxOutputs;
  detail::for_each_row(
      1, box.size(), box.size(), options, [&] { return DifferenceWorker(box); },
      [&](const DifferenceWorker& worker) { worker.merge_into(result); });
  const auto& [largest, attained] = *result.ddt.rbegin();
  result.uniformity = static_cast<std::uint32_t>(largest);
  result.attained = attained;
  result.apn = result.uniformity == 2 && box.inputs() == box.outputs();
  return result;
} catch (...) {
  rethrow_as_error();
}

void ddt_row(const SBox& box, std::uint32_t a, std::span<std::int32_t> row) {
  std::ranges::fill(row, 0);
  for (std::size_t x = 0; x < box.size(); ++x) ++row[box[x] ^ box[x ^ a]];
}

std::vector<DdtEntry> ddt_entries(const SBox& box, std::uint32_t a) try {
  std::vector<std::uint32_t> values(box.size());
  for (std::size_t x = 0; x < box.size(); ++x) values[x] = box[x] ^ box[x ^ a];
  std::ranges::sort(values);
  std::vector<DdtEntry> entries;
  for (const std::uint32_t value : values) {
    if (entries.empty() || entries.back().b != value) entries.push_back({value, 0});
    ++entries.back().count;
  }
  return entries;
} catch (...) {
  rethrow_as_error();
}

}  // namespace fugu::spectral
