#include "fugu/spectral/boolean.hpp"

#include <algorithm>
#include <memory>
#include <mutex>

#include "fugu/error.hpp"
#include "fugu/spectral/detail/ordering.hpp"
#include "fugu/spectral/detail/parallel.hpp"
#include "fugu/spectral/detail/walsh_passes.hpp"
#include "fugu/spectral/dyadic.hpp"

namespace fugu::spectral {
namespace {

constexpr std::size_t kExpandValues = std::size_t{1} << 16;

// (-1)^f(x) for the x from `first` on.
template <class T>
void expand(const TruthTable& function, std::size_t first, std::span<T> out) {
  const std::uint64_t* word = function.words().data() + first / 64;
  const std::size_t step = std::min<std::size_t>(64, out.size());
  for (std::size_t at = 0; at < out.size(); at += step, ++word) {
    for (std::size_t i = 0; i < step; ++i)
      out[at + i] = static_cast<T>(1 - 2 * static_cast<T>(*word >> i & 1));
  }
}

// The first pass over the polarity of `function`, whose rows are expanded where they are transformed.
template <class T>
void first_pass(const TruthTable& function, const detail::WalshKernels<T>& kernels, std::span<T> out,
                int inner, const detail::Workers& workers) {
  detail::row_pass<T>(
      kernels, out, inner, workers,
      {.before = [&](std::size_t at, std::span<T> rows) { expand(function, at, rows); }, .after = {}});
}

// Counts values of W. Spectra crowd around 0, so a window there is an array and the rest a map. But for a
// function of no variables every W is even.
class Counter {
 public:
  explicit Counter(int variables)
      : parity_bits_(variables == 0 ? 0 : 1),
        half_(std::int32_t{1} << std::min(variables, kWindowBits)),
        window_((2 * static_cast<std::size_t>(half_) >> parity_bits_) + 1) {}

  void add(std::span<const std::int32_t> values) {
    for (const std::int32_t value : values) {
      if (value >= -half_ && value <= half_) {
        ++window_[static_cast<std::size_t>(value + half_) >> parity_bits_];
      } else {
        ++outside_[value];
      }
    }
  }

  void into(std::map<std::int64_t, std::uint64_t>& histogram) const {
    for (std::size_t i = 0; i < window_.size(); ++i) {
      if (window_[i] != 0) histogram[static_cast<std::int64_t>(i << parity_bits_) - half_] += window_[i];
    }
    for (const auto& [value, count] : outside_) histogram[value] += count;
  }

 private:
  static constexpr int kWindowBits = 18;

  int parity_bits_;
  std::int32_t half_;
  std::vector<std::uint32_t> window_;  // 2^kMaxVariables counts at most
  std::map<std::int64_t, std::uint64_t> outside_;
};

// One counter for each thread at work, however the work is dealt out.
class CounterPool {
 public:
  explicit CounterPool(int variables) : variables_(variables) {}

  void add(std::span<const std::int32_t> values) {
    std::unique_ptr<Counter> counter = take();
    counter->add(values);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(counter));
  }

  SpectrumSummary summary() const {
    SpectrumSummary result;
    for (const auto& counter : idle_) counter->into(result.histogram);
    result.max_abs = static_cast<std::uint64_t>(
        std::max(-result.histogram.begin()->first, result.histogram.rbegin()->first));
    const std::uint64_t size = std::uint64_t{1} << variables_;
    result.nonlinearity = (size - result.max_abs) / 2;
    return result;
  }

 private:
  std::unique_ptr<Counter> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<Counter>(variables_);
    std::unique_ptr<Counter> counter = std::move(idle_.back());
    idle_.pop_back();
    return counter;
  }

  int variables_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Counter>> idle_;
};

}  // namespace

std::vector<std::int32_t> walsh_spectrum(const TruthTable& function, const WalshOptions& options) {
  std::vector<std::int32_t> values(function.size());
  walsh_spectrum(function, values, options);
  return values;
}

void walsh_spectrum(const TruthTable& function, std::span<std::int32_t> out, const WalshOptions& options) {
  if (out.size() != function.size()) {
    throw Error(Errc::usage, "the spectrum has " + std::to_string(function.size()) +
                                 " values, the output room for " + std::to_string(out.size()));
  }
  const auto kernels = detail::walsh_kernels<std::int32_t>(options.isa);
  const detail::Workers workers(options, out.size());
  const detail::Plan plan = detail::make_plan<std::int32_t>(function.variables(), options.cache_bits);
  first_pass(function, kernels, out, plan.inner, workers);
  for (const detail::ColumnPass& pass : plan.columns) detail::column_pass(kernels, out, pass, workers);
  detail::reorder(out, function.variables(), options.ordering, detail::Reorder::from_natural, workers);
}

SpectrumSummary summarize_spectrum(const TruthTable& function, const WalshOptions& options) {
  using T = std::int32_t;
  const auto kernels = detail::walsh_kernels<T>(options.isa);
  const detail::Workers workers(options, function.size());
  const auto memory = std::make_unique_for_overwrite<T[]>(function.size());
  const std::span<T> values(memory.get(), function.size());
  const detail::Plan plan = detail::make_plan<T>(function.variables(), options.cache_bits);
  CounterPool counters(function.variables());
  first_pass(function, kernels, values, plan.inner, workers);
  if (plan.columns.empty()) {
    counters.add(values);
    return counters.summary();
  }
  for (std::size_t i = 0; i + 1 < plan.columns.size(); ++i) {
    detail::column_pass<T>(kernels, values, plan.columns[i], workers);
  }
  const detail::ColumnPass last = plan.columns.back();
  const std::size_t stride = std::size_t{1} << last.first;
  constexpr std::size_t kWidth = detail::kTileWidth<T>;
  detail::for_each_tile<T>(values.size(), last, workers,
                           [&](std::size_t at, std::span<detail::Tile<T>, 3> scratch) {
                             kernels.columns(values.data() + at, stride, last.stages, scratch[1].data(),
                                             kWidth, scratch[0].data());
                             counters.add({scratch[1].data(), kWidth << last.stages});
                           });
  return counters.summary();
}

std::vector<std::int64_t> autocorrelation(const TruthTable& function, const WalshOptions& options) {
  // r = 2^-n H (W^2), and the sums H (W^2) are at most 2^2n: exact in 64 bits for every n up to
  // kMaxVariables.
  std::vector<std::int64_t> values(function.size());
  const detail::Workers workers(options, values.size());
  workers.for_ranges(values.size(), kExpandValues, [&](std::size_t first, std::size_t last) {
    expand(function, first, std::span(values).subspan(first, last - first));
  });
  dyadic_autocorrelate(std::span(values), options);
  return values;
}

}  // namespace fugu::spectral
