// From S(x) + S(x + a).
#include "fugu/spectral/sbox/avalanche.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "fugu/spectral/boolean.hpp"
#include "fugu/spectral/sbox/detail/rows.hpp"

namespace fugu::spectral {
namespace {

std::uint64_t nonlinearity_of_pair(const SBox& box, int j, int k) {
  const std::uint32_t mask = std::uint32_t{1} << j | std::uint32_t{1} << k;
  return summarize_spectrum(component(box, mask), {.threads = 1}).nonlinearity;
}

}  // namespace

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
