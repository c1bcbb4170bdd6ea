// Autocorrelation by rows: r(a,.) is the Walsh transform of the DDT row delta(a,.) over b.
#include "fugu/spectral/sbox/autocorrelation.hpp"

#include <cstdlib>
#include <numeric>

#include "fugu/spectral/sbox/detail/rows.hpp"
#include "fugu/spectral/sbox/differential.hpp"

namespace fugu::spectral {
namespace {

std::size_t columns_of(const SBox& box) {
  return std::size_t{box.last_mask()} + 1;
}

// The propagation after row a, whose values for b != 0 these are.
template <class T>
int lowered(int propagation, std::size_t a, std::span<const T> row) {
  const int below = std::popcount(a) - 1;
  const bool fails = below < propagation && std::ranges::any_of(row, [](T r) { return r != 0; });
  return fails ? below : propagation;
}

// For any box: r in 32-bit integers.
class WideAutocorrelation {
 public:
  static constexpr std::size_t kRows = 1;  // per call

  explicit WideAutocorrelation(const SBox& box)
      : box_(box),
        row_(columns_of(box)),
        largest_(row_.size()),
        sums_(row_.size()),
        structures_(row_.size()) {}

  void operator()(std::size_t a) {
    if (a == 0) return;
    autocorrelation_row(box_, static_cast<std::uint32_t>(a), row_);
    for (std::size_t b = 0; b < row_.size(); ++b) {
      const auto magnitude = static_cast<std::uint32_t>(std::abs(row_[b]));
      largest_[b] = std::max(largest_[b], magnitude);
      sums_[b] += std::uint64_t{magnitude} * magnitude;
      structures_[b] += magnitude == box_.size() ? 1u : 0u;
    }
    propagation_ = lowered(propagation_, a, std::span<const std::int32_t>(row_).subspan(1));
  }

  void merge_into(Autocorrelation& result) const {
    for (std::size_t b = 0; b < row_.size(); ++b) {
      result.indicators[b] = std::max(result.indicators[b], largest_[b]);
      result.sums[b] += sums_[b];
      result.structures[b] += structures_[b];
    }
    result.propagation = std::min(result.propagation, propagation_);
  }

 private:
  const SBox& box_;
  std::vector<std::int32_t> row_;
  std::vector<std::uint32_t> largest_;
  std::vector<std::uint64_t> sums_;
  std::vector<std::uint32_t> structures_;
  int propagation_ = kMaxInputs;
};

// For 6 to 16 inputs and outputs: r / 2 modulo 2^16, since DDT entries are even. Rows have an even number of
// pairs, so r / 2 is even too, and -2^15 is the only ambiguous value: only its magnitude is needed.
class NarrowAutocorrelation {
 public:
  static bool hold(const SBox& box) {
    return std::min(box.inputs(), box.outputs()) >= 6 && std::max(box.inputs(), box.outputs()) <= 16;
  }
  static constexpr std::size_t kRows = 4;  // per call: their columns stay in the L2 cache

  explicit NarrowAutocorrelation(const SBox& box)
      : box_(box),
        columns_(columns_of(box)),
        values_(kRows * columns_),
        quarter_largest_(columns_),
        sums_(columns_),
        structures_(columns_) {}

  void operator()(std::size_t batch) {
    const std::size_t first = std::max<std::size_t>(batch * kRows, 1);
    const std::size_t last = std::min((batch + 1) * kRows, box_.size());
    for (std::size_t a = first; a < last; ++a) {
      const std::span row = std::span(values_).subspan((a - first) * columns_, columns_);
      detail::count_pairs(box_, static_cast<std::uint32_t>(a), row);
      kernels_.row(row.data(), box_.outputs());
      row[0] = 0;  // it is 2^n in each row
      propagation_ = lowered(propagation_, a, std::span<const std::int16_t>(row));
    }
    taken_ += last - first;
    const std::uint32_t largest =
        kernels_.take_columns(values_.data(), columns_, last - first, quarter_largest_.data(), sums_.data());
    if (4 * largest != box_.size()) return;
    for (std::size_t a = first; a < last; ++a)
      take_structures(std::span(values_).subspan((a - first) * columns_, columns_));
  }

  void merge_into(Autocorrelation& result) const {
    for (std::size_t b = 1; b < columns_; ++b) {
      result.indicators[b] =
          std::max(result.indicators[b], 4 * static_cast<std::uint32_t>(quarter_largest_[b]));
      result.sums[b] += 16 * sums_[(b % 4 * columns_ + b) / 4];
      result.structures[b] += structures_[b];
    }
    if (taken_ != 0) result.indicators[0] = static_cast<std::uint32_t>(box_.size());
    result.sums[0] += taken_ * box_.size() * box_.size();
    result.structures[0] += taken_;
    result.propagation = std::min(result.propagation, propagation_);
  }

 private:
  void take_structures(std::span<const std::int16_t> row) {
    const auto half = static_cast<std::int16_t>(box_.size() / 2);
    const auto minus = static_cast<std::int16_t>(-half);
    for (std::size_t b = 0; b < columns_; ++b) structures_[b] += row[b] == half || row[b] == minus ? 1u : 0u;
  }

  const SBox& box_;
  std::size_t columns_;
  detail::NarrowKernels kernels_ = detail::narrow_kernels(best_isa());
  std::vector<std::int16_t> values_;
  std::vector<std::int16_t> quarter_largest_;
  std::vector<std::uint64_t> sums_;  // sums of (r / 4)^2, in the kernels' order
  std::vector<std::uint32_t> structures_;
  std::uint64_t taken_ = 0;
  int propagation_ = kMaxInputs;
};

template <class Worker>
void autocorrelation_by(const SBox& box, const SBoxOptions& options, Autocorrelation& result) {
  detail::for_each_row(
      0, (box.size() + Worker::kRows - 1) / Worker::kRows,
      std::uint64_t{Worker::kRows} * std::max(columns_of(box), box.size()), options,
      [&] { return Worker(box); }, [&](const Worker& worker) { worker.merge_into(result); });
}

// Counts r(a,b), b != 0, of a row per call.
class RowCounts {
 public:
  explicit RowCounts(const SBox& box) : box_(box), row_(columns_of(box)), counts_(2 * box.size() + 1) {}

  void operator()(std::size_t a) {
    autocorrelation_row(box_, static_cast<std::uint32_t>(a), row_);
    for (const std::int32_t r : std::span(row_).subspan(1))
      ++counts_[box_.size() + static_cast<std::size_t>(r)];
  }

  void merge_into(Histogram& histogram) const {
    detail::add_counts(counts_, -static_cast<std::int64_t>(box_.size()), 1, histogram);
  }

 private:
  const SBox& box_;
  std::vector<std::int32_t> row_;
  std::vector<std::uint64_t> counts_;  // indexed by r + N
};

std::uint64_t nonlinearity_of_pair(const SBox& box, int j, int k) {
  const std::uint32_t mask = std::uint32_t{1} << j | std::uint32_t{1} << k;
  return summarize_spectrum(component(box, mask), {.threads = 1}).nonlinearity;
}

}  // namespace

Histogram act_histogram(const SBox& box, const SBoxOptions& options) {
  if (box.outputs() > kMaxOutputsOfAll) {
    throw Error(Errc::usage, "this table has 2^" + std::to_string(box.outputs()) + " columns: at most 2^" +
                                 std::to_string(kMaxOutputsOfAll) + " are possible");
  }
  Histogram histogram;
  detail::for_each_row(
      1, box.size(), std::max(columns_of(box), box.size()), options, [&] { return RowCounts(box); },
      [&](const RowCounts& worker) { worker.merge_into(histogram); });
  return histogram;
}

Autocorrelation autocorrelation(const SBox& box, const SBoxOptions& options) {
  detail::require_all_components(box);
  const std::size_t columns = columns_of(box);
  const std::uint64_t itself = std::uint64_t{box.size()} * box.size();  // r(0,b)^2
  Autocorrelation result;
  result.propagation = box.inputs();
  result.indicators.resize(columns);
  result.structures.resize(columns);
  result.sums.assign(columns, itself);
  if (NarrowAutocorrelation::hold(box)) {
    autocorrelation_by<NarrowAutocorrelation>(box, options, result);
  } else {
    autocorrelation_by<WideAutocorrelation>(box, options, result);
  }
  result.indicator = std::ranges::max(std::span(result.indicators).subspan(1));
  return result;
}

void autocorrelation_row(const SBox& box, std::uint32_t a, std::span<std::int32_t> row) {
  ddt_row(box, a, row);
  walsh(row, box.outputs(), {.threads = 1});
}

Avalanche avalanche(const SBox& box, const SBoxOptions& options) {
  const auto outputs = static_cast<std::size_t>(box.outputs());
  Avalanche result;
  result.changes.resize(static_cast<std::size_t>(box.inputs()) * outputs);
  for (std::size_t i = 0; i < static_cast<std::size_t>(box.inputs()); ++i) {
    detail::for_each_pair(box, std::uint32_t{1} << i, [&](std::uint32_t, std::uint32_t change) {
      for (std::size_t j = 0; j < outputs; ++j) result.changes[i * outputs + j] += 2 * (change >> j & 1);
      const auto weight = static_cast<std::uint64_t>(std::popcount(change));
      result.pair_changes_sum += 2 * weight * (outputs - weight);
    });
  }
  const auto [least, most] = std::ranges::minmax(result.changes);
  result.least_change = least;
  result.most_change = most;
  result.changes_sum = std::accumulate(result.changes.begin(), result.changes.end(), std::uint64_t{0});
  std::vector<std::pair<int, int>> pairs;
  for (int k = 1; k < box.outputs(); ++k) {
    for (int j = 0; j < k; ++j) pairs.emplace_back(j, k);
  }
  result.pair_nonlinearities.resize(pairs.size());
  const auto make = [&] {
    return [&](std::size_t i) {
      result.pair_nonlinearities[i] = nonlinearity_of_pair(box, pairs[i].first, pairs[i].second);
    };
  };
  detail::for_each_row(0, pairs.size(), 16 * box.size(), options, make);
  return result;
}

}  // namespace fugu::spectral
