// S-boxes as values, and the boxes and functions made from one.
#include "fugu/spectral/sbox/sbox.hpp"

#include <algorithm>

#include "fugu/error.hpp"
#include "fugu/spectral/sbox/basic.hpp"
#include "fugu/spectral/sbox/detail/rows.hpp"

namespace fugu::spectral {
namespace {

void check_bits(int given, int most, std::string_view what) {
  if (given >= 1 && given <= most) return;
  throw Error(Errc::usage, std::to_string(given) + " " + std::string(what) + ": 1 to " +
                               std::to_string(most) + " are possible");
}

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

}  // namespace

SBox::SBox(int inputs, int outputs, std::vector<std::uint32_t> values)
    : inputs_(inputs), outputs_(outputs), values_(std::move(values)) {
  check_bits(inputs, kMaxInputs, "inputs");
  check_bits(outputs, kMaxOutputs, "outputs");
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
  check_bits(inputs, kMaxInputs, "inputs");
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

}  // namespace fugu::spectral
