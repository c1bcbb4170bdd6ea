#include "fugu/spectral/boolean.hpp"

#include <limits>
#include <new>

#include "fugu/spectral/detail/check_rows.hpp"
#include "fugu/spectral/detail/packed_bits.hpp"
#include "fugu/spectral/detail/walsh_passes.hpp"
#include "fugu/spectral/dyadic.hpp"
#include "fugu/spectral/limits.hpp"

namespace fugu::spectral {
namespace {

constexpr std::size_t kExpandValues = std::size_t{1} << 16;

// An uninitialised array as large as a transform, on huge pages if the system has them.
template <class T>
class LargeArray {
 public:
  // Throws std::bad_alloc.
  explicit LargeArray(std::size_t size)
      : data_(size == 0 ? nullptr : static_cast<T*>(::operator new(bytes_of(size), alignment_of(size)))),
        size_(size) {
    // With pages of 4 KiB, distant rows would miss the TLB at every step.
    if (is_huge(size)) platform::use_huge_pages(data_, size * sizeof(T));
  }
  LargeArray(const LargeArray&) = delete;
  LargeArray& operator=(const LargeArray&) = delete;
  ~LargeArray() { ::operator delete(data_, alignment_of(size_)); }

  std::span<T> span() { return {data_, size_}; }
  std::span<const T> span() const { return {data_, size_}; }

 private:
  static constexpr std::size_t kLineBytes = 64;

  static constexpr std::size_t bytes_of(std::size_t size) {
    if (size > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    return size * sizeof(T);
  }
  static constexpr bool is_huge(std::size_t size) { return size * sizeof(T) >= platform::kHugePageBytes; }
  static constexpr std::align_val_t alignment_of(std::size_t size) {
    return std::align_val_t{is_huge(size) ? platform::kHugePageBytes : kLineBytes};
  }

  T* data_;
  std::size_t size_;
};

constexpr int kMaxColumnStages = 14;
static_assert(1 << kMaxColumnStages <= std::numeric_limits<std::int16_t>::max());  // |W| is at most this
constexpr std::size_t kLineWords = 8;                                              // a cache line of bits
constexpr std::size_t kLinesAtATime = 4;

// Aligned: otherwise every vector store would straddle two lines.
struct alignas(64) TileRow {
  std::int16_t values[detail::kNarrowWidth];
};

// Rows that fit the L2 cache, and enough of them for every thread.
int row_bits_of(int variables, const WalshOptions& options) {
  constexpr int kRowsBits = 5;
  constexpr int kMinRowBits = 14;
  constexpr int kMaxRowBits = detail::kSecondLevelBits<std::int32_t>;
  static_assert(kMaxVariables - kMaxRowBits <= kMaxColumnStages && kRowsBits <= kMaxColumnStages);
  if (limits_of(options).cache_bits == 0) {
    const bool shared = std::size_t{1} << variables >= detail::kParallelValues;
    return shared ? std::clamp(variables - kRowsBits, kMinRowBits, kMaxRowBits) : variables;
  }
  const int narrow = std::max(limits_of(options).cache_bits, std::countr_zero(detail::kNarrowWidth));
  return std::min(variables, std::max(narrow, variables - kMaxColumnStages));
}

// The partial spectrum of a function in 16-bit values.
//
// The stages of the transform commute. Those over the highest variables come first, from bits to 16-bit
// values in tiles that fit the L2 cache; the remaining stages work on rows that fit it too. So memory is
// written once and read once, at half the width of the spectrum.
class NarrowSpectrum {
 public:
  NarrowSpectrum(const TruthTable& function, const WalshOptions& options, const detail::Workers& workers)
      : function_(function),
        row_bits_(row_bits_of(function.variables(), options)),
        values_(rows() == 1 ? 0 : function.size()) {
    if (rows() > 1) transform_columns(options, workers);
  }

  // A short function is one row of (-1)^f, with no stage done.
  int row_bits() const { return row_bits_; }
  std::size_t rows() const { return std::size_t{1} << (function_.variables() - row_bits_); }

  // Reads one row, for which the stages [0, row_bits()) remain.
  void read_row(std::size_t row, std::span<std::int32_t> out) const {
    if (rows() == 1) return expand(std::as_bytes(std::span(function_.words())), TableMeans::polarity, out);
    std::ranges::copy(values_.span().subspan(row << row_bits_, out.size()), out.begin());
  }

 private:
  // Reads whole cache lines of bits from every row, so that each is fetched from memory once.
  void transform_columns(const WalshOptions& options, const detail::Workers& workers) {
    const detail::NarrowKernels kernels = detail::narrow_kernels(limits_of(options).isa);
    const std::size_t row_words = std::size_t{1} << (row_bits_ - 6);
    const std::size_t line = std::min(kLineWords, row_words);
    const int stages = function_.variables() - row_bits_;
    workers.for_ranges(row_words / line, kLinesAtATime, [&](std::size_t first, std::size_t last) {
      std::vector<std::uint64_t> bits(rows() * line);
      std::vector<TileRow> tile(rows());
      for (std::size_t at = first * line; at < last * line; at += line) {
        for (std::size_t row = 0; row < rows(); ++row)
          std::copy_n(&function_.words()[row * row_words + at], line, &bits[row * line]);
        for (std::size_t word = 0; word < line; ++word) {
          for (std::size_t row = 0; row < rows(); ++row) {
            detail::expand<TableMeans::polarity>(reinterpret_cast<const std::byte*>(&bits[row * line + word]),
                                                 std::span<std::int16_t>(tile[row].values));
          }
          kernels.columns(tile.front().values, stages, &values_.span()[(at + word) * 64],
                          std::size_t{1} << row_bits_);
        }
      }
    });
  }

  const TruthTable& function_;
  int row_bits_;
  LargeArray<std::int16_t> values_;  // empty for one row
};

// Computes row i of the spectrum.
void transform_row(const NarrowSpectrum& narrow, const detail::WalshKernels<std::int32_t>& kernels,
                   std::size_t i, std::span<std::int32_t> out) {
  narrow.read_row(i, out);
  kernels.rows(out.data(), narrow.row_bits(), 1);
}

// Counts values of W. Spectra concentrate around 0, so a window there is an array and the rest a map. For at
// least two variables all W are congruent modulo 4.
class Counter {
 public:
  Counter(int variables, std::size_t row_size)
      : step_bits_(std::min(variables, 2)),
        half_(std::int32_t{1} << std::min(variables, kWindowBits)),
        window_((2 * static_cast<std::size_t>(half_) >> step_bits_) + 1),
        row_(row_size) {}

  // The buffer in which a row is computed before it is counted.
  std::span<std::int32_t> row() { return row_.span(); }

  void add_row() {
    remainder_ = row()[0] & ((1 << step_bits_) - 1);
    for (std::size_t at = 0; at < row().size(); at += kAtATime)
      add(row().subspan(at, std::min(kAtATime, row().size() - at)));
  }

  // Adds the counts of `other`, of the same function.
  void take(const Counter& other) {
    for (std::size_t i = 0; i < window_.size(); ++i) window_[i] += other.window_[i];
    for (const auto& [value, count] : other.outside_) outside_[value] += count;
  }

  std::map<std::int64_t, std::uint64_t> histogram() const {
    std::map<std::int64_t, std::uint64_t> result = outside_;
    auto next = result.lower_bound(-half_);
    for (std::size_t i = 0; i < window_.size(); ++i) {
      if (window_[i] != 0)
        result.emplace_hint(next, static_cast<std::int64_t>(i << step_bits_) - half_ + remainder_,
                            window_[i]);
    }
    return result;
  }

 private:
  static constexpr int kWindowBits = 18;
  static constexpr std::size_t kAtATime = 64;

  // All indices are computed first, in a loop that the compiler vectorises.
  void add(std::span<const std::int32_t> values) {
    std::array<std::uint32_t, kAtATime> index;
    std::uint32_t all = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      index[i] = static_cast<std::uint32_t>(values[i] + half_) >> step_bits_;
      all |= index[i];
    }
    if (all >= window_.size() - 1) return add_one_by_one(values);  // the size is a power of two, at least one
    for (std::size_t i = 0; i < values.size(); ++i) ++window_[index[i]];
  }

  void add_one_by_one(std::span<const std::int32_t> values) {
    for (const std::int32_t value : values) {
      if (value >= -half_ && value <= half_) {
        ++window_[static_cast<std::size_t>(value + half_) >> step_bits_];
      } else {
        ++outside_[value];
      }
    }
  }

  int step_bits_;
  std::int32_t half_;
  std::int32_t remainder_ = 0;
  std::vector<std::uint32_t> window_;  // at most 2^kMaxVariables counts
  std::map<std::int64_t, std::uint64_t> outside_;
  LargeArray<std::int32_t> row_;
};

}  // namespace

TruthTable moebius(TruthTable table, const WalshOptions& options) {
  detail::moebius(table.words(), table.variables(), detail::Workers(options, table.size()));
  return table;
}

int algebraic_degree(TruthTable function, const WalshOptions& options) {
  const TruthTable form = moebius(std::move(function), options);
  return detail::degree_of_form(form.words(), detail::Workers(options, form.size()));
}

std::vector<std::int32_t> walsh_spectrum(const TruthTable& function, const WalshOptions& options) {
  std::vector<std::int32_t> values(function.size());
  walsh_spectrum(function, values, options);
  return values;
}

void walsh_spectrum(const TruthTable& function, std::span<std::int32_t> out, const WalshOptions& options) {
  detail::require_room(function.size(), out.size());
  const detail::Workers workers(options, out.size());
  const NarrowSpectrum narrow(function, options, workers);
  const auto kernels = detail::walsh_kernels<std::int32_t>(limits_of(options).isa);
  const std::size_t size = out.size() / narrow.rows();
  workers.for_ranges(narrow.rows(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) transform_row(narrow, kernels, i, out.subspan(i * size, size));
  });
  detail::reorder(out, function.variables(), options.ordering, detail::Reorder::from_natural, workers);
}

SpectrumSummary summarize_spectrum(const TruthTable& function, const WalshOptions& options) {
  const detail::Workers workers(options, function.size());
  const NarrowSpectrum narrow(function, options, workers);
  const auto kernels = detail::walsh_kernels<std::int32_t>(limits_of(options).isa);
  const std::size_t row_size = function.size() / narrow.rows();
  std::vector<std::unique_ptr<Counter>> idle;  // one per working thread, whatever the distribution of work
  std::mutex mutex;
  const auto taken = [&] {
    const std::lock_guard lock(mutex);
    if (idle.empty()) return std::make_unique<Counter>(function.variables(), row_size);
    std::unique_ptr<Counter> counter = std::move(idle.back());
    idle.pop_back();
    return counter;
  };
  workers.for_ranges(narrow.rows(), 1, [&](std::size_t first, std::size_t last) {
    std::unique_ptr<Counter> counter = taken();
    for (std::size_t i = first; i < last; ++i) {
      transform_row(narrow, kernels, i, counter->row());
      counter->add_row();
    }
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(counter));
  });
  for (std::size_t i = 1; i < idle.size(); ++i) idle[0]->take(*idle[i]);
  SpectrumSummary result;
  result.histogram = idle[0]->histogram();
  result.max_abs = static_cast<std::uint64_t>(
      std::max(-result.histogram.begin()->first, result.histogram.rbegin()->first));
  result.nonlinearity = (function.size() - result.max_abs) / 2;
  return result;
}

std::vector<std::int64_t> autocorrelation(const TruthTable& function, const WalshOptions& options) {
  // r = 2^-n H (W^2), and the sums H (W^2) are at most 2^2n: exact in 64 bits for every n up to
  // kMaxVariables.
  std::vector<std::int64_t> values(function.size());
  const detail::Workers workers(options, values.size());
  const std::span bits = std::as_bytes(std::span(function.words()));
  workers.for_ranges(values.size(), kExpandValues, [&](std::size_t first, std::size_t last) {
    expand(bits.subspan(first / 8), TableMeans::polarity, std::span(values).subspan(first, last - first));
  });
  dyadic_autocorrelate(std::span(values), options);
  return values;
}

}  // namespace fugu::spectral
