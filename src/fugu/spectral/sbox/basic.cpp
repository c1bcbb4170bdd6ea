// Collisions, fixed points and cycles of an S-box.
#include "fugu/spectral/sbox/basic.hpp"

#include <algorithm>

#include "fugu/error.hpp"
#include "fugu/spectral/detail/decimal.hpp"

namespace fugu::spectral {
namespace {

// The least common multiple, as the product of the highest power of each prime.
std::string order_of(const Histogram& lengths) {
  std::map<std::uint64_t, std::uint64_t> powers;
  const auto note = [&](std::uint64_t prime, std::uint64_t power) {
    powers[prime] = std::max(powers[prime], power);
  };
  for (const auto& [length, count] : lengths) {
    auto rest = static_cast<std::uint64_t>(length);
    for (std::uint64_t prime = 2; prime * prime <= rest; ++prime) {
      std::uint64_t power = 1;
      for (; rest % prime == 0; rest /= prime) power *= prime;
      if (power > 1) note(prime, power);
    }
    if (rest > 1) note(rest, rest);
  }
  detail::Decimal order;
  for (const auto& [prime, power] : powers) order.multiply(power);
  return order.text();
}

Cycles cycles_of(const SBox& permutation) {
  Cycles cycles;
  std::uint64_t swaps = 0;
  std::vector<bool> seen(permutation.size());
  for (std::size_t start = 0; start < seen.size(); ++start) {
    if (seen[start]) continue;
    std::uint64_t length = 0;
    for (std::size_t x = start; !seen[x]; x = permutation[x], ++length) seen[x] = true;
    ++cycles.lengths[static_cast<std::int64_t>(length)];
    swaps += length - 1;
  }
  cycles.odd = swaps % 2 != 0;
  cycles.involution = cycles.lengths.rbegin()->first <= 2;
  cycles.order = order_of(cycles.lengths);
  return cycles;
}

// Inputs ordered by value, then by input.
std::vector<std::uint64_t> sorted_by_value(const SBox& box) {
  std::vector<std::uint64_t> keys(box.size());
  for (std::size_t x = 0; x < keys.size(); ++x) keys[x] = std::uint64_t{box[x]} << 32 | x;
  std::ranges::sort(keys);
  return keys;
}

void count_preimages(const SBox& box, Basic& result) {
  const std::vector<std::uint64_t> keys = sorted_by_value(box);
  std::uint64_t most = 0;
  for (std::size_t first = 0, last = 0; first < keys.size(); first = last) {
    while (last < keys.size() && keys[last] >> 32 == keys[first] >> 32) ++last;
    const std::uint64_t count = last - first;
    ++result.image;
    result.collisions += count * (count - 1) / 2;
    most = std::max(most, count);
    if (count < 2) continue;
    const std::pair pair(static_cast<std::uint32_t>(keys[first]),
                         static_cast<std::uint32_t>(keys[first + 1]));
    if (!result.first_collision || pair < *result.first_collision) result.first_collision = pair;
  }
  result.balanced = result.image == std::uint64_t{box.last_mask()} + 1 && most * result.image == box.size();
}

}  // namespace

Basic basic(const SBox& box) {
  Basic result;
  count_preimages(box, result);
  if (box.inputs() != box.outputs()) return result;
  result.permutation = result.balanced;
  result.fixed = result.antifixed = 0;
  for (std::uint32_t x = 0; x < box.size(); ++x) {
    *result.fixed += box[x] == x ? 1u : 0u;
    *result.antifixed += box[x] == (x ^ box.last_mask()) ? 1u : 0u;
  }
  if (result.permutation) result.cycles = cycles_of(box);
  return result;
}

}  // namespace fugu::spectral
