// Algebraic degrees of an S-box and of its components.
#include "fugu/spectral/sbox/algebra.hpp"

#include <algorithm>
#include <bit>

#include "fugu/error.hpp"
#include "fugu/spectral/sbox/detail/rows.hpp"

namespace fugu::spectral {
namespace {

// Positions 0 to 63 of weight 0 to 6.
constexpr std::uint64_t kOfWeight[] = {0x0000000000000001u, 0x0000000100010116u, 0x0001011601161668u,
                                       0x0116166816686880u, 0x1668688068808000u, 0x6880800080000000u,
                                       0x8000000000000000u};

int degree_of_form(const TruthTable& form) {
  int degree = -1;
  for (std::size_t i = 0; i < form.words().size(); ++i) {
    const std::uint64_t word = form.words()[i];
    if (word == 0) continue;
    const int above = std::popcount(i);
    int within = std::max(degree - above, -1);
    for (int weight = 6; weight > within; --weight) {
      if ((word & kOfWeight[weight]) != 0) within = weight;
    }
    degree = std::max(degree, above + within);
  }
  return degree;
}

}  // namespace

int degree(const SBox& box) {
  int largest = -1;
  for (int j = 0; j < box.outputs(); ++j)
    largest = std::max(largest, algebraic_degree(component(box, std::uint32_t{1} << j), {.threads = 1}));
  return largest;
}

std::vector<std::int8_t> component_degrees(const SBox& box, const SBoxOptions& options) {
  if (box.outputs() > kMaxOutputsOfAll) {
    throw Error(Errc::usage, "all components of " + std::to_string(box.outputs()) + " outputs: at most " +
                                 std::to_string(kMaxOutputsOfAll) + " outputs are possible");
  }
  // The form of a sum is the sum of the forms.
  std::vector<TruthTable> forms;
  for (int j = 0; j < box.outputs(); ++j) forms.push_back(moebius(component(box, std::uint32_t{1} << j)));
  std::vector<std::int8_t> degrees(std::size_t{box.last_mask()} + 1, -1);
  const auto make = [&] {
    return [&, sum = TruthTable(box.inputs()), mask = std::size_t{0}](std::size_t b) mutable {
      for (std::size_t change = b ^ mask; change != 0; change &= change - 1) {
        const auto& words = forms[static_cast<std::size_t>(std::countr_zero(change))].words();
        std::ranges::transform(sum.words(), words, sum.words().begin(), std::bit_xor());
      }
      mask = b;
      degrees[b] = static_cast<std::int8_t>(degree_of_form(sum));
    };
  };
  detail::for_each_row(1, degrees.size(), forms[0].words().size(), options, make, [](const auto&) {});
  return degrees;
}

}  // namespace fugu::spectral
