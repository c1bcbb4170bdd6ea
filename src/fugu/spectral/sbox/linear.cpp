// Linear properties, a batch of components at a time: the table is never stored.
#include "fugu/spectral/sbox/linear.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>
#include <tuple>

#include "fugu/error.hpp"
#include "fugu/spectral/sbox/detail/component_signs.hpp"
#include "fugu/spectral/sbox/detail/rows.hpp"

namespace fugu::spectral {
namespace {

// Values that are transformed at a time: they and their signs stay in the second-level cache.
constexpr std::size_t kBatchValues = std::size_t{1} << 16;

// 1 to N - 1, light ones first.
std::vector<std::uint32_t> by_weight(std::size_t size) {
  std::vector<std::uint32_t> masks(size - 1);
  std::iota(masks.begin(), masks.end(), 1u);
  std::ranges::stable_sort(masks, {}, [](std::uint32_t a) { return std::popcount(a); });
  return masks;
}

struct Shared {
  const SBox& box;
  detail::CoordinateSigns coordinates{box};
  std::vector<std::uint32_t> masks_by_weight = by_weight(box.size());
  std::size_t rows = std::max<std::size_t>(1, kBatchValues >> box.inputs());
};

// Takes one batch of components at each call.
class LinearWorker {
 public:
  LinearWorker(const Shared& shared, std::vector<LinearComponent>& components)
      : shared_(shared),
        signs_(shared.coordinates),
        values_(shared.rows * shared.box.size()),
        counts_(shared.box.size() + 1),
        components_(components) {}

  void operator()(std::size_t batch) {
    const std::size_t end = std::size_t{shared_.box.last_mask()} + 1;
    const std::size_t first = batch * shared_.rows;
    const std::size_t rows = std::min(shared_.rows, end - first);
    const std::size_t size = shared_.box.size();
    for (std::size_t i = 0; i < rows; ++i) {
      signs_.write(static_cast<std::uint32_t>(first + i), &values_[i * size]);
    }
    walsh(std::span(values_).first(rows * size), shared_.box.inputs(), {.threads = 1});
    for (std::size_t i = 0; i < rows; ++i) {
      if (first + i != 0)
        take(static_cast<std::uint32_t>(first + i), std::span(values_).subspan(i * size, size));
    }
  }

  void merge_into(Linear& result) const {
    const auto half = static_cast<std::int64_t>(shared_.box.size() / 2);
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] != 0) result.walsh[2 * (static_cast<std::int64_t>(i) - half)] += counts_[i];
    }
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
  static std::tuple<std::uint32_t, std::uint32_t> place(const Linear& linear) {
    return {linear.first_a, linear.first_b};
  }

  void copy_first(Linear& to) const {
    to.linearity = found_.linearity;
    to.first_a = found_.first_a;
    to.first_b = found_.first_b;
    to.first_value = found_.first_value;
  }

  void take(std::uint32_t b, std::span<const std::int32_t> row) {
    LinearComponent& component = components_[b];
    const auto half = static_cast<std::int32_t>(row.size() / 2);
    std::int32_t low = 0;
    std::int32_t high = 0;
    for (const std::int32_t w : row) {
      ++counts_[static_cast<std::size_t>(half + w / 2)];
      low = std::min(low, w);
      high = std::max(high, w);
    }
    const std::int32_t largest = std::max(high, -low);
    component.largest = static_cast<std::uint32_t>(largest);
    component.balanced = row[0] == 0;
    component.plateaued =
        std::ranges::all_of(row, [&](std::int32_t w) { return w == 0 || w == largest || w == -largest; });
    found_.plateaued += component.plateaued ? 1u : 0u;
    const auto square = static_cast<std::uint64_t>(component.largest) * component.largest;
    found_.bent += row.size() > 2 && square == row.size() ? 1u : 0u;
    take_first(b, row, largest);
    take_weights(b, row, component);
  }

  void take_first(std::uint32_t b, std::span<const std::int32_t> row, std::int32_t largest) {
    if (static_cast<std::uint64_t>(largest) < found_.linearity) return;
    const auto at = std::ranges::find_if(row, [&](std::int32_t w) { return std::abs(w) == largest; });
    const auto a = static_cast<std::uint32_t>(at - row.begin());
    if (static_cast<std::uint64_t>(largest) == found_.linearity && a >= found_.first_a) return;
    found_.linearity = static_cast<std::uint64_t>(largest);
    found_.first_a = a;
    found_.first_b = b;
    found_.first_value = *at;
  }

  void take_weights(std::uint32_t b, std::span<const std::int32_t> row, LinearComponent& component) {
    const auto lightest =
        std::ranges::find_if(shared_.masks_by_weight, [&](std::uint32_t a) { return row[a] != 0; });
    const bool none = lightest == shared_.masks_by_weight.end();
    const int weight = none ? shared_.box.inputs() + 1 : std::popcount(*lightest);
    component.correlation_immunity = static_cast<std::int8_t>(weight - 1);
    const int b_weight = std::popcount(b);
    if (!none) found_.branch_number = std::min(found_.branch_number.value_or(64), weight + b_weight);
    if (b_weight != 1) return;
    for (std::size_t a = 1; a < row.size(); a *= 2) found_.one_bit_to_one += row[a] != 0 ? 1u : 0u;
  }

  const Shared& shared_;
  detail::ComponentSigns signs_;
  std::vector<std::int32_t> values_;
  std::vector<std::uint64_t> counts_;  // of W / 2 + N / 2
  std::vector<LinearComponent>& components_;
  Linear found_;
};

std::uint64_t count_of(const Histogram& histogram, std::int64_t value) {
  const auto found = histogram.find(value);
  return found == histogram.end() ? 0 : found->second;
}

}  // namespace

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

Linear linear(const SBox& box, const SBoxOptions& options) try {
  if (box.outputs() > kMaxOutputsOfAll) {
    throw Error(Errc::usage, "all components of " + std::to_string(box.outputs()) + " outputs: at most " +
                                 std::to_string(kMaxOutputsOfAll) + " outputs are possible");
  }
  Linear result;
  const Shared shared{.box = box};
  const std::size_t count = std::size_t{box.last_mask()} + 1;
  result.components.resize(count);
  detail::for_each_row(
      0, (count + shared.rows - 1) / shared.rows, shared.rows * box.size(), options,
      [&] { return LinearWorker(shared, result.components); },
      [&](const LinearWorker& worker) { worker.merge_into(result); });
  complete(box.inputs(), box.outputs(), result);
  return result;
} catch (...) {
  rethrow_as_error();
}

// The transform over b of the signs (-1)^(a.x), summed for each value of S.
void lat_row(const SBox& box, std::uint32_t a, std::span<std::int32_t> row) try {
  std::ranges::fill(row, 0);
  for (std::size_t x = 0; x < box.size(); ++x) row[box[x]] += std::popcount(x & a) % 2 == 0 ? 1 : -1;
  walsh(row, box.outputs(), {.threads = 1});
} catch (...) {
  rethrow_as_error();
}

}  // namespace fugu::spectral
