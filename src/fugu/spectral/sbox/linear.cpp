// Linear properties, a batch of components at a time: the table is never stored. All 2^m - 1 components, in
// bytes if the CPU and the box allow.
#include "fugu/spectral/sbox/linear.hpp"

#include <limits>
#include <tuple>

#include "fugu/spectral/sbox/detail/byte_profile.hpp"
#include "fugu/spectral/sbox/detail/rows.hpp"

namespace fugu::spectral {
namespace {

// Values transformed at a time: they and their signs stay in the L2 cache.
constexpr std::size_t kBatchValues = std::size_t{1} << 16;

// For any box: W in 32-bit integers.
class WideSpectra {
 public:
  using Value = std::int32_t;
  using Coordinates = detail::CoordinateSigns;
  static constexpr std::uint32_t kUnit = 1;

  WideSpectra(const SBox& box, const Coordinates& coordinates)
      : inputs_(box.inputs()), signs_(coordinates), counts_(box.size() + 1) {}

  void write(std::uint32_t b, Value* row) { signs_.write(b, row); }
  void transform(std::span<Value> rows) const { walsh(rows, inputs_, {.threads = 1}); }

  std::int32_t walsh_of(Value w) const { return w; }
  std::uint32_t largest(std::span<const Value> row) const {
    Value low = 0;
    Value high = 0;
    for (const Value w : row) {
      low = std::min(low, w);
      high = std::max(high, w);
    }
    return static_cast<std::uint32_t>(std::max(high, -low));
  }

  void count(std::span<const Value> row, std::uint32_t) {
    const auto half = static_cast<Value>(row.size() / 2);
    for (const Value w : row) ++counts_[static_cast<std::size_t>(half + w / 2)];
  }
  std::span<const std::uint64_t> counts() { return counts_; }

 private:
  int inputs_;
  detail::ComponentSigns signs_;
  std::vector<std::uint64_t> counts_;  // indexed by W / 2 + N / 2
};

// For 6 to 16 inputs: W / 2 modulo 2^16, since W is even. Only -2^15 is ambiguous, W = 2^16 or -2^16: it
// belongs to an affine component of 16 inputs, which has no other nonzero value, and its sign is
// (-1)^(b.S(0)).
class NarrowSpectra {
 public:
  using Value = std::int16_t;
  using Coordinates = detail::CoordinateBits;
  static constexpr std::uint32_t kUnit = 2;

  NarrowSpectra(const SBox& box, const Coordinates& coordinates)
      : inputs_(box.inputs()),
        bits_(coordinates),
        counts_(box.size() + 1),
        row_counts_(kCounters * counts_.size()) {}

  static bool hold(const SBox& box) { return box.inputs() >= 6 && box.inputs() <= kMaxHeldInputs; }

  void write(std::uint32_t b, Value* row) { bits_.write(b, row); }
  void transform(std::span<Value> rows) const {
    const std::size_t size = std::size_t{1} << inputs_;
    for (std::size_t at = 0; at < rows.size(); at += size) kernels_.row_after_three(&rows[at], inputs_);
  }

  // An ambiguous value is in the row written last: rows of 16 inputs are written one at a time.
  std::int32_t walsh_of(Value half) const {
    const std::int32_t w = 2 * std::int32_t{half};
    return half == kDoubtful && !bits_.at_zero() ? -w : w;
  }
  std::uint32_t largest(std::span<const Value> row) const { return kernels_.largest(row.data(), row.size()); }

  // Consecutive equal values have separate counters, so that an addition need not wait for the last.
  void count(std::span<const Value> row, std::uint32_t largest) {
    if (static_cast<Value>(largest) == kDoubtful) return count_affine(row.size());
    std::uint32_t* const middle = &row_counts_[row.size() / 2];
    for (std::size_t x = 0; x < row.size(); x += kCounters) {
      for (std::size_t i = 0; i < kCounters; ++i)
        ++middle[static_cast<std::ptrdiff_t>(i * counts_.size()) + row[x + i]];
    }
    if (++rows_ == kMaxRows) add_up();
  }
  std::span<const std::uint64_t> counts() {
    add_up();
    return counts_;
  }

 private:
  static constexpr Value kDoubtful = std::numeric_limits<Value>::min();
  static constexpr std::size_t kCounters = 4;
  static constexpr std::size_t kMaxRows = std::size_t{1} << 16;
  static constexpr int kMaxHeldInputs = 16;
  static_assert((kMaxRows << kMaxHeldInputs) / kCounters <= std::numeric_limits<std::uint32_t>::max(),
                "additions to one counter of row_counts_");

  void count_affine(std::size_t size) {
    counts_[size / 2] += size - 1;
    ++counts_[bits_.at_zero() ? 0 : size];
  }

  void add_up() {
    for (std::size_t i = 0; i < row_counts_.size(); ++i)
      counts_[i % counts_.size()] += std::exchange(row_counts_[i], 0);
    rows_ = 0;
  }

  int inputs_;
  detail::NarrowKernels kernels_ = detail::narrow_kernels(best_isa());
  detail::ComponentBits bits_;
  std::size_t rows_ = 0;
  std::vector<std::uint64_t> counts_;      // of W / 2 + N / 2
  std::vector<std::uint32_t> row_counts_;  // the same counts, kCounters times
};

template <class Spectra>
struct Shared {
  const SBox& box;
  typename Spectra::Coordinates coordinates{box};
  std::size_t rows = std::max<std::size_t>(1, kBatchValues >> box.inputs());
};

// Takes one batch of components per call.
template <class Spectra>
class LinearWorker {
 public:
  LinearWorker(const Shared<Spectra>& shared, std::vector<LinearComponent>& components)
      : shared_(shared),
        spectra_(shared.box, shared.coordinates),
        values_(shared.rows * shared.box.size()),
        components_(components) {}

  void operator()(std::size_t batch) {
    const std::size_t end = std::size_t{shared_.box.last_mask()} + 1;
    const std::size_t first = batch * shared_.rows;
    const std::size_t rows = std::min(shared_.rows, end - first);
    const std::size_t size = shared_.box.size();
    for (std::size_t i = 0; i < rows; ++i) {
      spectra_.write(static_cast<std::uint32_t>(first + i), &values_[i * size]);
    }
    spectra_.transform(std::span(values_).first(rows * size));
    for (std::size_t i = 0; i < rows; ++i) {
      if (first + i != 0)
        take(static_cast<std::uint32_t>(first + i), std::span(values_).subspan(i * size, size));
    }
  }

  void merge_into(Linear& result) {
    const auto size = static_cast<std::int64_t>(shared_.box.size());
    detail::add_counts(spectra_.counts(), -size, 2, result.walsh);
    result.plateaued += found_.plateaued;
    result.bent += found_.bent;
    result.one_bit_to_one += found_.one_bit_to_one;
    if (found_.branch_number) {
      result.branch_number = std::min(result.branch_number.value_or(64), *found_.branch_number);
    }
    if (found_.linearity < result.linearity) return;
    if (found_.linearity > result.linearity || place(found_) < place(result)) copy_first(result);
  }

 private:
  using Value = typename Spectra::Value;
  using Row = std::span<const Value>;

  static std::tuple<std::uint32_t, std::uint32_t> place(const Linear& linear) {
    return {linear.first_a, linear.first_b};
  }

  void copy_first(Linear& to) const {
    to.linearity = found_.linearity;
    to.first_a = found_.first_a;
    to.first_b = found_.first_b;
    to.first_value = found_.first_value;
  }

  static auto has_magnitude(std::uint32_t magnitude) {
    return [w = static_cast<Value>(magnitude), minus = static_cast<Value>(0u - magnitude)](Value value) {
      return value == w || value == minus;
    };
  }

  void take(std::uint32_t b, Row row) {
    LinearComponent& component = components_[b];
    const std::uint32_t largest = spectra_.largest(row);
    spectra_.count(row, largest);
    component.largest = Spectra::kUnit * largest;
    component.balanced = row[0] == 0;
    component.plateaued =
        std::ranges::all_of(row, [at = has_magnitude(largest)](Value w) { return w == 0 || at(w); });
    found_.plateaued += component.plateaued ? 1u : 0u;
    const auto square = static_cast<std::uint64_t>(component.largest) * component.largest;
    found_.bent += row.size() > 2 && square == row.size() ? 1u : 0u;
    take_first(b, row, largest);
    take_weights(b, row, component);
  }

  void take_first(std::uint32_t b, Row row, std::uint32_t largest) {
    const std::uint64_t linearity = Spectra::kUnit * std::uint64_t{largest};
    if (linearity < found_.linearity) return;
    if (linearity == found_.linearity) row = row.first(found_.first_a);
    const auto at = std::ranges::find_if(row, has_magnitude(largest));
    if (at == row.end()) return;
    found_.linearity = linearity;
    found_.first_a = static_cast<std::uint32_t>(at - row.begin());
    found_.first_b = b;
    found_.first_value = spectra_.walsh_of(*at);
  }

  void take_weights(std::uint32_t b, Row row, LinearComponent& component) {
    const auto last = static_cast<std::uint32_t>(row.size() - 1);
    const std::uint32_t lightest =
        detail::first_by_weight(last, [&](std::uint32_t a) { return row[a] != 0; });
    const int weight = lightest == 0 ? shared_.box.inputs() + 1 : std::popcount(lightest);
    component.correlation_immunity = static_cast<std::int8_t>(weight - 1);
    const int b_weight = std::popcount(b);
    if (lightest != 0) found_.branch_number = std::min(found_.branch_number.value_or(64), weight + b_weight);
    if (b_weight != 1) return;
    for (std::size_t a = 1; a < row.size(); a *= 2) found_.one_bit_to_one += row[a] != 0 ? 1u : 0u;
  }

  const Shared<Spectra>& shared_;
  Spectra spectra_;
  std::vector<Value> values_;
  std::vector<LinearComponent>& components_;
  Linear found_;
};

template <class Spectra>
Linear linear_by(const SBox& box, const SBoxOptions& options) {
  Linear result;
  const Shared<Spectra> shared{.box = box};
  const std::size_t count = std::size_t{box.last_mask()} + 1;
  result.components.resize(count);
  detail::for_each_row(
      0, (count + shared.rows - 1) / shared.rows, shared.rows * box.size(), options,
      [&] { return LinearWorker<Spectra>(shared, result.components); },
      [&](LinearWorker<Spectra>& worker) { worker.merge_into(result); });
  complete(box.inputs(), box.outputs(), result);
  return result;
}

std::uint64_t count_of(const Histogram& histogram, std::int64_t value) {
  const auto found = histogram.find(value);
  return found == histogram.end() ? 0 : found->second;
}

// The masks per piece of work.
constexpr std::uint64_t kPieceMasks = std::uint64_t{1} << 22;

bool runs_in_bytes(const SBox& box) {
  return box.inputs() <= 8 && box.outputs() >= detail::kByteLaneBits && best_isa() >= Isa::avx2;
}

// The components' maxima, and the masks that reach the overall maximum.
struct Found {
  Histogram largest;  // max |W(.,b)|
  std::uint64_t linearity = 0;
  std::vector<std::uint32_t> masks;

  void note(std::uint64_t value, std::span<const std::uint32_t> reached) {
    if (value < linearity) return;
    if (value > linearity) masks.clear();
    linearity = value;
    masks.insert(masks.end(), reached.begin(), reached.end());
    std::ranges::sort(masks);
    if (masks.size() > kMaxListedMasks) masks.resize(kMaxListedMasks);
  }
};

Found profile_in_bytes(const SBox& box, const SBoxOptions& options, const Progress& done) {
  const detail::ByteBox bytes = detail::byte_box(box);
  const std::uint64_t blocks = std::uint64_t{1} << bytes.blocks_bits;
  const std::uint64_t piece = std::min(blocks, kPieceMasks / detail::kByteLanes);
  const std::uint64_t scale = 256 / box.size();  // max |W| of the box of 8 inputs over that of this one
  Found found;
  std::mutex merging;
  const detail::Workers workers(blocks == piece ? 1 : options.threads, nullptr, options.stop);
  workers.for_ranges(blocks / piece, 1, [&](std::size_t first, std::size_t last) {
    detail::ByteProfile profile;
    for (std::size_t i = first; i < last; ++i) {
      detail::profile_blocks_avx2(bytes, i * piece, (i + 1) * piece, profile);
      if (done) done(piece * detail::kByteLanes);
    }
    const std::lock_guard lock(merging);
    for (std::size_t half = 0; half < profile.counts.size(); ++half) {
      if (profile.counts[half] != 0)
        found.largest[static_cast<std::int64_t>(2 * half / scale)] += profile.counts[half];
    }
    found.note(2 * profile.largest / scale, profile.masks);
  });
  return found;
}

// For any CPU and box: transforms components one by one.
Found profile_one_by_one(const SBox& box, const SBoxOptions& options, const Progress& done) {
  const std::uint64_t count = std::uint64_t{box.last_mask()} + 1;
  const std::uint64_t piece = std::min(count, std::uint64_t{1} << 16);
  const detail::CoordinateSigns coordinates(box);
  Found found;
  std::mutex merging;
  detail::Workers(options.threads, nullptr, options.stop)
      .for_ranges(static_cast<std::size_t>(count / piece), 1, [&](std::size_t first, std::size_t last) {
        detail::ComponentSigns signs(coordinates);
        std::vector<std::int32_t> values(box.size());
        Found mine;
        for (std::uint64_t b = std::max<std::uint64_t>(first * piece, 1); b < last * piece; ++b) {
          const auto mask = static_cast<std::uint32_t>(b);
          signs.write(mask, values.data());
          walsh(std::span(values), box.inputs(), {.threads = 1});
          const auto [low, high] = std::ranges::minmax(values);
          const std::int32_t largest = std::max(high, -low);
          ++mine.largest[largest];
          mine.note(static_cast<std::uint64_t>(largest), {&mask, 1});
          if (done && (b + 1) % piece == 0) done(piece);
        }
        const std::lock_guard lock(merging);
        for (const auto& [value, times] : mine.largest) found.largest[value] += times;
        found.note(mine.linearity, mine.masks);
      });
  return found;
}

}  // namespace

detail::ByteBox detail::byte_box(const SBox& box) {
  ByteBox result;
  const auto sign = [](std::uint32_t bits) {
    return static_cast<std::int8_t>(std::popcount(bits) % 2 == 0 ? 1 : -1);
  };
  for (std::size_t x = 0; x < kBytePoints; ++x) {
    const std::uint32_t value = box[x % box.size()];
    for (std::uint32_t lane = 0; lane < kByteLanes; ++lane) result.patterns[x][lane] = sign(value & lane);
    for (int j = 0; j < kMaxOutputs; ++j) result.coordinates[j][x] = sign(value >> j & 1);
  }
  result.blocks_bits = box.outputs() - kByteLaneBits;
  return result;
}

void complete(int inputs, int outputs, Linear& result) {
  const auto linearity = static_cast<std::int64_t>(result.linearity);
  result.nonlinearity = ((std::uint64_t{1} << inputs) - result.linearity) / 2;
  result.attained = count_of(result.walsh, linearity) + count_of(result.walsh, -linearity);
  result.zeros = count_of(result.walsh, 0);
  result.almost_bent =
      inputs == outputs && inputs % 2 == 1 && result.linearity == std::uint64_t{1} << ((inputs + 1) / 2);
  const std::span components = std::span(result.components).subspan(1);
  result.correlation_immunity =
      std::ranges::min(components, {}, &LinearComponent::correlation_immunity).correlation_immunity;
  const bool balanced = std::ranges::all_of(components, &LinearComponent::balanced);
  result.resiliency = balanced ? result.correlation_immunity : -1;
}

Linear linear(const SBox& box, const SBoxOptions& options) {
  detail::require_all_components(box);
  return NarrowSpectra::hold(box) ? linear_by<NarrowSpectra>(box, options)
                                  : linear_by<WideSpectra>(box, options);
}

// The transform over b of the signs (-1)^(a.x), summed for each value of S.
void lat_row(const SBox& box, std::uint32_t a, std::span<std::int32_t> row) {
  std::ranges::fill(row, 0);
  for (std::size_t x = 0; x < box.size(); ++x) row[box[x]] += std::popcount(x & a) % 2 == 0 ? 1 : -1;
  walsh(row, box.outputs(), {.threads = 1});
}

ExhaustiveProfile exhaustive_components(const SBox& box, const SBoxOptions& options) {
  if (box.inputs() > kMaxExhaustiveInputs) {
    throw Error(Errc::usage, "all components of " + std::to_string(box.inputs()) + " inputs: at most " +
                                 std::to_string(kMaxExhaustiveInputs) + " inputs are possible");
  }
  const Progress done = detail::begun(options, std::uint64_t{box.last_mask()} + 1);
  Found found =
      runs_in_bytes(box) ? profile_in_bytes(box, options, done) : profile_one_by_one(box, options, done);
  ExhaustiveProfile profile{
      .nonlinearities = {}, .linearity = found.linearity, .masks = std::move(found.masks)};
  const auto size = static_cast<std::int64_t>(box.size());
  for (const auto& [largest, count] : found.largest) profile.nonlinearities[(size - largest) / 2] += count;
  return profile;
}

double exhaustive_seconds(const SBox& box) {
  const double masks = static_cast<double>(box.last_mask()) + 1;
  if (runs_in_bytes(box)) return masks * 2e-8;
  return masks * static_cast<double>(box.size()) * 6e-9;
}

}  // namespace fugu::spectral
