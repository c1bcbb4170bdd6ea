// Differential properties, row by row: the table is never stored.
#include "fugu/spectral/sbox/differential.hpp"

#include "fugu/spectral/detail/check_rows.hpp"
#include "fugu/spectral/sbox/detail/rows.hpp"

namespace fugu::spectral {
namespace {

class DdtFindings {
 public:
  explicit DdtFindings(const SBox& box) : counts_(std::max(box.size() / 2, detail::ByteRows::kLargest) + 1) {}

  void merge_into(Differential& result) const {
    detail::add_counts(counts_, 0, 2, result.ddt);
    result.largest_zero = std::max(result.largest_zero, largest_zero_);
    result.branch_number = std::min(result.branch_number, lightest_);
    result.one_bit_to_one += one_bit_to_one_;
  }

 protected:
  void note_weight(int a_weight, int b_weight) {
    lightest_ = std::min(lightest_, a_weight + b_weight);
    if (a_weight == 1 && b_weight == 1) ++one_bit_to_one_;
  }

  std::vector<std::uint64_t> counts_;  // indexed by delta / 2
  std::uint32_t largest_zero_ = 0;
  int lightest_ = kMaxInputs + kMaxOutputs;
  std::uint64_t one_bit_to_one_ = 0;
};

// For any box.
class SparseDdt : public DdtFindings {
 public:
  explicit SparseDdt(const SBox& box) : DdtFindings(box), box_(box), row_(box.outputs(), box.size() / 2) {}

  // Returns the row's largest entry.
  std::uint32_t operator()(std::uint64_t index) {
    const auto a = static_cast<std::uint32_t>(index);
    detail::for_each_pair(box_, a, [&](std::uint32_t, std::uint32_t b) { row_.add(b, 2); });
    counts_[0] += std::uint64_t{box_.last_mask()} + 1 - row_.nonzero();
    const int weight = std::popcount(a);
    const bool may_be_light = weight == 1 || weight < lightest_;
    std::uint32_t largest = 0;
    row_.drain([&](std::uint32_t b, std::uint32_t count) {
      ++counts_[count / 2];
      largest = std::max(largest, count);
      if (b == 0) largest_zero_ = std::max(largest_zero_, count);
      if (may_be_light) note_weight(weight, std::popcount(b));
    });
    return largest;
  }

 protected:
  const SBox& box_;

 private:
  detail::RowCounter row_;
};

// For 6 to 16 inputs and outputs: whole rows of delta / 2 in bytes, if all entries are small.
class NarrowDdt : public SparseDdt {
 public:
  static bool hold(const SBox& box) {
    return box.inputs() <= 16 && box.outputs() >= 6 && box.outputs() <= box.inputs();
  }

  explicit NarrowDdt(const SBox& box) : SparseDdt(box), row_(std::size_t{box.last_mask()} + 1) {}

  // A row is often like the last.
  void operator()(std::uint64_t index) {
    if (!small_ || !take_small(static_cast<std::uint32_t>(index)))
      small_ = SparseDdt::operator()(index) <= 2 * detail::ByteRows::kLargest;
  }

 private:
  bool take_small(std::uint32_t a) {
    detail::count_pairs(box_, a, std::span(row_));
    if (!rows_.count(row_, box_.size() / 2, counts_)) return false;
    take_weights(std::popcount(a));
    return true;
  }

  void take_weights(int weight) {
    largest_zero_ = std::max(largest_zero_, 2u * row_[0]);
    if (row_[0] != 0) note_weight(weight, 0);
    (void)detail::first_by_weight(static_cast<std::uint32_t>(row_.size() - 1), [&](std::uint32_t b) {
      const int b_weight = std::popcount(b);
      if (weight + b_weight >= lightest_ && (weight != 1 || b_weight != 1)) return true;
      if (row_[b] != 0) note_weight(weight, b_weight);
      return false;
    });
  }

  bool small_ = true;  // whether to try bytes for the next row
  detail::ByteRows rows_;
  std::vector<std::uint8_t> row_;
};

template <class Worker>
Differential differential_by(const SBox& box, const SBoxOptions& options) {
  Differential result;
  result.branch_number = kMaxInputs + kMaxOutputs;
  detail::for_each_row(
      1, box.size(), box.size(), options, [&] { return Worker(box); },
      [&](const Worker& worker) { worker.merge_into(result); });
  return result;
}

// largest_of(a) is the largest entry of a row.
template <class LargestOf>
std::uint32_t largest_to(const SBox& box, std::uint32_t bound, LargestOf largest_of) {
  std::uint32_t largest = 0;
  for (std::uint32_t a = 1; a < box.size() && largest <= bound; ++a)
    largest = std::max(largest, largest_of(a));
  return largest;
}

// The largest entry of a row of delta / 2.
template <class HalfCounts>
std::uint32_t largest_of(const HalfCounts& row) {
  typename HalfCounts::value_type largest = 0;
  for (const auto count : row) largest = std::max(largest, count);
  return 2u * largest;
}

// For up to 8 inputs and outputs: nothing is allocated, since most boxes of a search are left after a few
// rows.
std::uint32_t small_uniformity(const SBox& box, std::uint32_t bound) {
  std::array<std::uint8_t, 256> row;
  return largest_to(box, bound, [&](std::uint32_t a) {
    detail::count_pairs(box, a, std::span<std::uint8_t>(row));
    return largest_of(row);
  });
}

std::uint32_t narrow_uniformity(const SBox& box, std::uint32_t bound) {
  std::vector<std::uint16_t> row(std::size_t{box.last_mask()} + 1);
  return largest_to(box, bound, [&](std::uint32_t a) {
    detail::count_pairs(box, a, std::span(row));
    return largest_of(row);
  });
}

}  // namespace

std::uint32_t uniformity(const SBox& box, std::uint32_t bound) {
  if (std::max(box.inputs(), box.outputs()) <= 8) return small_uniformity(box, bound);
  if (std::max(box.inputs(), box.outputs()) <= 16) return narrow_uniformity(box, bound);
  SparseDdt rows(box);
  return largest_to(box, bound, [&](std::uint32_t a) { return rows(a); });
}

Differential differential(const SBox& box, const SBoxOptions& options) {
  Differential result = NarrowDdt::hold(box) ? differential_by<NarrowDdt>(box, options)
                                             : differential_by<SparseDdt>(box, options);
  const auto& [largest, attained] = *result.ddt.rbegin();
  result.uniformity = static_cast<std::uint32_t>(largest);
  result.attained = attained;
  result.apn = result.uniformity == 2 && box.inputs() == box.outputs();
  return result;
}

void ddt_row(const SBox& box, std::uint32_t a, std::span<std::int32_t> row) {
  std::ranges::fill(row, 0);
  if (a == 0)
    row[0] = static_cast<std::int32_t>(box.size());
  else
    detail::for_each_pair(box, a, [&](std::uint32_t, std::uint32_t b) { row[b] += 2; });
}

std::vector<DdtEntry> ddt_entries(const SBox& box, std::uint32_t a) {
  std::vector<std::uint32_t> values(box.size());
  for (std::size_t x = 0; x < box.size(); ++x) values[x] = box[x] ^ box[x ^ a];
  std::ranges::sort(values);
  std::vector<DdtEntry> entries;
  for (const std::uint32_t value : values) {
    if (entries.empty() || entries.back().b != value) entries.push_back({value, 0});
    ++entries.back().count;
  }
  return entries;
}

std::vector<std::uint32_t> c_differential_uniformity(const SBox& box, const BinaryField& field,
                                                     const SBoxOptions& options) {
  require_square(box, field, kMaxCDifferentialBits, "the c-differential uniformity");
  std::vector<std::uint32_t> largest(box.size());
  const auto make = [&] {
    return [&, multiple = std::vector<std::uint32_t>(box.size()),
            counts = std::vector<std::uint32_t>(box.size())](std::size_t c) mutable {
      for (std::size_t x = 0; x < box.size(); ++x)
        multiple[x] = field.product(static_cast<std::uint32_t>(c), box[x]);
      for (std::size_t a = c == 1 ? 1 : 0; a < box.size(); ++a) {
        std::ranges::fill(counts, 0);
        for (std::size_t x = 0; x < box.size(); ++x) ++counts[box[x ^ a] ^ multiple[x]];
        largest[c] = std::max(largest[c], std::ranges::max(counts));
      }
    };
  };
  detail::for_each_row(0, box.size(), std::uint64_t{box.size()} * box.size(), options, make);
  return largest;
}

std::vector<UndisturbedBit> undisturbed_bits(const SBox& box, const SBoxOptions& options) {
  detail::require_at_most(kMaxUndisturbedInputs, box.inputs(), "undisturbed bits", "inputs");
  std::vector<UndisturbedBit> found;
  for (std::uint32_t a = 1; a < box.size(); ++a) {
    detail::throw_if_stopped(options.stop);
    const std::uint32_t first = box[0] ^ box[a];
    std::uint32_t same = box.last_mask();  // bits that have been as in `first` so far
    for (std::size_t x = 1; x < box.size() && same != 0; ++x) same &= ~(box[x] ^ box[x ^ a] ^ first);
    for (std::uint32_t j = 0; j < static_cast<std::uint32_t>(box.outputs()); ++j)
      if ((same >> j & 1) != 0) found.push_back({a, j, (first >> j & 1) != 0});
  }
  return found;
}

// For each b, the signs (-1)^(u.x) at S(x), transformed.
void quasidifferential_row(const SBox& box, std::uint32_t row_number, std::span<std::int32_t> row) {
  detail::require_at_most(kMaxQuasidifferentialBits, std::max(box.inputs(), box.outputs()),
                          "quasidifferentials", "inputs or outputs");
  const auto a = static_cast<std::size_t>(row_number >> box.inputs());
  const std::size_t u = row_number & (box.size() - 1);
  const std::size_t masks = std::size_t{box.last_mask()} + 1;
  std::ranges::fill(row, 0);
  for (std::size_t x = 0; x < box.size(); ++x)
    row[(box[x] ^ box[x ^ a]) * masks + box[x]] += std::popcount(u & x) % 2 == 0 ? 1 : -1;
  for (std::size_t b = 0; b < masks; ++b) {
    const auto signs = row.subspan(b * masks, masks);
    if (std::ranges::any_of(signs, [](std::int32_t sign) { return sign != 0; }))
      walsh(signs, box.outputs(), {.threads = 1});
  }
}

}  // namespace fugu::spectral
