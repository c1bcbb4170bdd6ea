// S-boxes as values, and the boxes and functions made from one.
#include "fugu/spectral/sbox/sbox.hpp"

#include "fugu/spectral/detail/check_rows.hpp"
#include "fugu/spectral/detail/integers.hpp"
#include "fugu/spectral/sbox/basic.hpp"
#include "fugu/spectral/sbox/detail/rows.hpp"

namespace fugu::spectral {
namespace {

[[noreturn]] void refuse_no_permutation(const SBox& box) {
  std::string text = "this needs a permutation; ";
  if (box.inputs() != box.outputs()) {
    text += std::to_string(box.inputs()) + " inputs, " + std::to_string(box.outputs()) + " outputs";
  } else {
    const Basic found = basic(box);
    text += std::to_string(found.collisions) + " pairs collide, first S(" +
            std::to_string(found.first_collision->first) + ") = S(" +
            std::to_string(found.first_collision->second) + ")";
  }
  throw Error(Errc::usage, text);
}

// Collisions, fixed points and cycles of an S-box.

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

SBox::SBox(int inputs, int outputs, std::vector<std::uint32_t> values)
    : inputs_(inputs), outputs_(outputs), values_(std::move(values)) {
  detail::require_within(1, kMaxInputs, inputs, "inputs");
  detail::require_within(1, kMaxOutputs, outputs, "outputs");
  if (values_.size() != std::size_t{1} << inputs) {
    throw Error(Errc::usage, std::to_string(values_.size()) + " entries are not those of " +
                                 std::to_string(inputs) + " inputs");
  }
  for (std::size_t x = 0; x < values_.size(); ++x) {
    if (values_[x] > last_mask()) {
      throw Error(Errc::usage, "entry " + std::to_string(x) + ": " + std::to_string(values_[x]) +
                                   " does not fit " + std::to_string(outputs) + " outputs");
    }
  }
}

int inputs_of(std::uint64_t entries) {
  if (!std::has_single_bit(entries) || entries < 2)
    throw Error(Errc::usage, std::to_string(entries) + " values are not a power of two, 2 to 2^" +
                                 std::to_string(kMaxInputs));
  const int inputs = std::countr_zero(entries);
  detail::require_within(1, kMaxInputs, inputs, "inputs");
  return inputs;
}

int usual_outputs(int expected, std::span<const std::uint32_t> values) {
  const auto bits = [](std::uint32_t value) { return std::max(1, static_cast<int>(std::bit_width(value))); };
  const auto exceeds = [&](std::uint32_t value) { return bits(value) > expected; };
  const int needed = bits(std::ranges::max(values));
  const auto exceeding = static_cast<std::size_t>(std::ranges::count_if(values, exceeds));
  if (needed == expected || 4 * exceeding >= values.size()) return needed;
  std::string what = "no value has more than " + std::to_string(needed) + " bits";
  if (needed > expected) {
    const auto first = std::ranges::find_if(values, exceeds);
    what = "entry " + std::to_string(first - values.begin()) + " is " + std::to_string(*first) + ", and " +
           std::to_string(values.size() - exceeding) + " of " + std::to_string(values.size()) +
           " entries fit " + std::to_string(expected) + " bits";
  }
  throw Error(Errc::usage, what +
                               "; give the number of outputs: " + std::to_string(std::min(needed, expected)) +
                               " or " + std::to_string(std::max(needed, expected)));
}

std::uint32_t SBox::last_mask() const noexcept {
  return static_cast<std::uint32_t>((std::uint64_t{1} << outputs_) - 1);
}

TruthTable component(const SBox& box, std::uint32_t mask) {
  TruthTable function(box.inputs());
  for (std::size_t x = 0; x < box.size(); ++x) {
    const auto bit = static_cast<std::uint64_t>(std::popcount(box[x] & mask) & 1);
    function.words()[x / 64] |= bit << (x % 64);
  }
  return function;
}

SBox derivative(const SBox& box, std::uint32_t a) {
  if (a >= box.size()) {
    throw Error(Errc::usage, "a difference of " + std::to_string(a) + " does not fit " +
                                 std::to_string(box.inputs()) + " inputs");
  }
  std::vector<std::uint32_t> values(box.size());
  for (std::size_t x = 0; x < values.size(); ++x) values[x] = box[x] ^ box[x ^ a];
  return {box.inputs(), box.outputs(), std::move(values)};
}

SBox inverse(const SBox& box) {
  if (box.inputs() != box.outputs()) refuse_no_permutation(box);
  std::vector<std::uint32_t> values(box.size());
  std::vector<bool> taken(box.size());
  for (std::size_t x = 0; x < values.size(); ++x) {
    if (taken[box[x]]) refuse_no_permutation(box);
    taken[box[x]] = true;
    values[box[x]] = static_cast<std::uint32_t>(x);
  }
  return {box.inputs(), box.outputs(), std::move(values)};
}

void detail::require_all_components(const SBox& box) {
  if (box.outputs() <= kMaxOutputsOfAll) return;
  throw Error(Errc::usage, "all components of " + std::to_string(box.outputs()) + " outputs: at most " +
                               std::to_string(kMaxOutputsOfAll) + " outputs are possible");
}

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
