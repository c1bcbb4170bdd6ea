#include "fugu/spectral/boolean.hpp"

#include <algorithm>
#include <memory>
#include <mutex>

#include "fugu/spectral/detail/parallel.hpp"
#include "fugu/spectral/detail/walsh_passes.hpp"

namespace fugu::spectral {
namespace {

constexpr std::size_t kExpandWords = 1024;

unsigned threads_for(const TruthTable& function, const WalshOptions& options) {
  return function.size() < detail::kParallelValues ? 1 : detail::thread_count(options.threads);
}

// (-1)^f(x)
template <class T>
std::vector<T> polarity(const TruthTable& function, unsigned threads) {
  std::vector<T> values(function.size());
  const auto& words = function.words();
  detail::parallel_for(words.size(), kExpandWords, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t w = first; w < last; ++w) {
      const std::size_t count = std::min<std::size_t>(64, values.size());
      for (std::size_t i = 0; i < count; ++i) {
        values[w * 64 + i] = static_cast<T>(1 - 2 * static_cast<T>(words[w] >> i & 1));
      }
    }
  });
  return values;
}

// Counts values of W. Spectra crowd around 0, so a window there is an array and the rest a map.
class Counter {
 public:
  explicit Counter(int variables)
      : half_(std::int32_t{1} << std::min(variables, 18)), window_(2 * width() + 1) {}

  void add(std::span<const std::int32_t> values) {
    for (const std::int32_t value : values) {
      if (value >= -half_ && value <= half_) {
        ++window_[static_cast<std::size_t>(value + half_)];
      } else {
        ++outside_[value];
      }
    }
  }

  void into(std::map<std::int64_t, std::uint64_t>& histogram) const {
    for (std::size_t i = 0; i < window_.size(); ++i) {
      if (window_[i] != 0) histogram[static_cast<std::int64_t>(i) - half_] += window_[i];
    }
    for (const auto& [value, count] : outside_) histogram[value] += count;
  }

 private:
  std::size_t width() const { return static_cast<std::size_t>(half_); }

  std::int32_t half_;
  std::vector<std::uint64_t> window_;
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
  auto values = polarity<std::int32_t>(function, threads_for(function, options));
  walsh(std::span(values), function.variables(), options);
  return values;
}

SpectrumSummary summarize_spectrum(const TruthTable& function, const WalshOptions& options) {
  using T = std::int32_t;
  const auto kernels = detail::walsh_kernels<T>(options.isa);
  const unsigned threads = threads_for(function, options);
  std::vector<T> values = polarity<T>(function, threads);
  const detail::Plan plan = detail::make_plan<T>(function.variables());
  CounterPool counters(function.variables());
  detail::row_pass<T>(kernels, values, plan.inner, threads);
  if (plan.columns.empty()) {
    counters.add(values);
    return counters.summary();
  }
  for (std::size_t i = 0; i + 1 < plan.columns.size(); ++i) {
    detail::column_pass<T>(kernels, values, plan.columns[i], threads);
  }
  const detail::ColumnPass last = plan.columns.back();
  const std::size_t stride = std::size_t{1} << last.first;
  constexpr std::size_t kWidth = detail::kTileWidth<T>;
  detail::for_each_tile<T>(values.size(), last, threads,
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
  const WalshOptions natural{.threads = options.threads, .isa = options.isa};
  auto values = polarity<std::int64_t>(function, threads_for(function, options));
  walsh(std::span(values), function.variables(), natural);
  for (std::int64_t& w : values) w *= w;
  inverse_walsh(std::span(values), function.variables(), natural);
  return values;
}

}  // namespace fugu::spectral
