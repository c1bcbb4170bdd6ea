// Autocorrelation by rows: r(a,.) is the Walsh transform of the DDT row delta(a,.) over b.
#include "fugu/spectral/sbox/autocorrelation.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "fugu/error.hpp"
#include "fugu/spectral/sbox/detail/rows.hpp"

namespace fugu::spectral {
namespace {

constexpr std::size_t kRowBatchValues = std::size_t{1} << 16;

// Takes a batch of rows at each call.
class AutocorrelationWorker {
 public:
  AutocorrelationWorker(const SBox& box, std::size_t rows)
      : box_(box),
        rows_(rows),
        columns_(std::size_t{box.last_mask()} + 1),
        values_(rows * columns_),
        largest_(columns_),
        sums_(columns_),
        structures_(columns_) {}

  void operator()(std::size_t batch) {
    const std::size_t first = std::max<std::size_t>(batch * rows_, 1);
    const std::size_t last = std::min((batch + 1) * rows_, box_.size());
    if (first >= last) return;
    const std::span values = std::span(values_).first((last - first) * columns_);
    std::ranges::fill(values, 0);
    for (std::size_t a = first; a < last; ++a) {
      std::int32_t* const row = &values_[(a - first) * columns_];
      detail::for_each_pair(box_, static_cast<std::uint32_t>(a),
                            [&](std::uint32_t, std::uint32_t b) { row[b] += 2; });
    }
    walsh(values, box_.outputs(), {.threads = 1});
    for (std::size_t a = first; a < last; ++a)
      take(static_cast<std::uint32_t>(a), values.subspan((a - first) * columns_, columns_));
  }

  void merge_into(Autocorrelation& result) const {
    for (std::size_t b = 0; b < columns_; ++b) {
      result.indicators[b] = std::max(result.indicators[b], static_cast<std::uint32_t>(largest_[b]));
      result.sums[b] += sums_[b];
      result.structures[b] += structures_[b];
    }
    result.propagation = std::min(result.propagation, propagation_);
  }

 private:
  void take(std::uint32_t a, std::span<const std::int32_t> row) {
    for (std::size_t b = 0; b < columns_; ++b) largest_[b] = std::max(largest_[b], std::abs(row[b]));
    for (std::size_t b = 0; b < columns_; ++b) {
      const auto magnitude = static_cast<std::uint64_t>(static_cast<std::uint32_t>(std::abs(row[b])));
      sums_[b] += magnitude * magnitude;
    }
    const auto size = static_cast<std::int32_t>(box_.size());
    for (std::size_t b = 0; b < columns_; ++b) structures_[b] += std::abs(row[b]) == size ? 1u : 0u;
    const int weight = std::popcount(a);
    if (weight > propagation_) return;
    if (std::ranges::any_of(row.subspan(1), [](std::int32_t r) { return r != 0; })) propagation_ = weight - 1;
  }

  const SBox& box_;
  std::size_t rows_;
  std::size_t columns_;
  std::vector<std::int32_t> values_;
  std::vector<std::int32_t> largest_;
  std::vector<std::uint64_t> sums_;
  std::vector<std::uint32_t> structures_;
  int propagation_ = kMaxInputs;
};

}  // namespace

Autocorrelation autocorrelation(const SBox& box, const SBoxOptions& options) try {
  if (box.outputs() > kMaxOutputsOfAll) {
    throw Error(Errc::usage, "all components of " + std::to_string(box.outputs()) + " outputs: at most " +
                                 std::to_string(kMaxOutputsOfAll) + " outputs are possible");
  }
  const std::size_t columns = std::size_t{box.last_mask()} + 1;
  const std::size_t rows = std::max<std::size_t>(1, kRowBatchValues / columns);
  const std::uint64_t itself = std::uint64_t{box.size()} * box.size();  // r(0,b)^2
  Autocorrelation result;
  result.propagation = box.inputs();
  result.indicators.resize(columns);
  result.structures.resize(columns);
  result.sums.assign(columns, itself);
  detail::for_each_row(
      0, (box.size() + rows - 1) / rows, std::uint64_t{rows} * std::max(columns, box.size()), options,
      [&] { return AutocorrelationWorker(box, rows); },
      [&](const AutocorrelationWorker& worker) { worker.merge_into(result); });
  result.indicator = std::ranges::max(std::span(result.indicators).subspan(1));
  return result;
} catch (...) {
  rethrow_as_error();
}

void autocorrelation_row(const SBox& box, std::uint32_t a, std::span<std::int32_t> row) try {
  std::ranges::fill(row, 0);
  for (std::size_t x = 0; x < box.size(); ++x) ++row[box[x] ^ box[x ^ a]];
  walsh(row, box.outputs(), {.threads = 1});
} catch (...) {
  rethrow_as_error();
}

}  // namespace fugu::spectral
