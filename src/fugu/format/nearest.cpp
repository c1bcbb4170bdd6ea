#include "fugu/format/nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "fugu/error.hpp"

namespace fugu::format {
namespace {

// Optimal string alignment distance: letters changed, added or omitted, and neighbours swapped.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const std::size_t changed = a[i - 1] == b[j - 1] ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + changed});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

constexpr std::size_t kLeastPrefix = 3;

bool begins_alike(std::string_view a, std::string_view b) {
  return std::min(a.size(), b.size()) >= kLeastPrefix && (a.starts_with(b) || b.starts_with(a));
}

}  // namespace

std::optional<std::string_view> nearest_word(std::string_view given,
                                             std::span<const std::string_view> words) {
  constexpr std::size_t kLongest = 32;  // no word is longer; a far longer one is none of them
  if (given.size() > kLongest) return std::nullopt;
  std::optional<std::string_view> best;
  std::size_t least = given.size() / 4 + 2;  // more different letters make another word
  for (const std::string_view word : words) {
    const std::size_t apart = begins_alike(given, word) ? 1 : distance(given, word);
    if (apart >= least || apart >= word.size()) continue;
    least = apart;
    best = word;
  }
  return best;
}

}  // namespace fugu::format
