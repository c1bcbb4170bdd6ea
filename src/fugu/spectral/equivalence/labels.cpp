// Labels of points and differences from the DDT.
#include <algorithm>
#include <unordered_map>

#include "fugu/spectral/equivalence/detail/labels.hpp"

namespace fugu::spectral::detail {

Labels labels_of(const SBox& box, const Budget& budget) {
  Labels labels{std::vector<std::uint64_t>(box.size()), std::vector<std::uint64_t>(box.size())};
  std::vector<std::uint32_t> counts(std::size_t{box.last_mask()} + 1);
  for (std::size_t a = 1; a < box.size(); ++a) {
    budget.look();
    for (std::size_t x = 0; x < box.size(); ++x) ++counts[box[x] ^ box[x ^ a]];
    for (std::size_t x = 0; x < box.size(); ++x) {
      const std::uint64_t label = mixed(counts[box[x] ^ box[x ^ a]]);
      labels.differences[a] += label;
      labels.points[x] += label;
    }
    for (std::size_t x = 0; x < box.size(); ++x) counts[box[x] ^ box[x ^ a]] = 0;
  }
  return labels;
}

std::uint32_t rarest(const std::vector<std::uint64_t>& labels) {
  std::unordered_map<std::uint64_t, std::size_t> counts;
  for (const std::uint64_t label : labels) ++counts[label];
  const auto found = std::ranges::min_element(labels, {}, [&](std::uint64_t label) { return counts[label]; });
  return static_cast<std::uint32_t>(found - labels.begin());
}

SBox moved(const SBox& box, std::uint32_t point) {
  std::vector<std::uint32_t> values(box.size());
  for (std::size_t x = 0; x < values.size(); ++x) values[x] = box[x ^ point] ^ box[point];
  return {box.inputs(), box.outputs(), std::move(values)};
}

}  // namespace fugu::spectral::detail
