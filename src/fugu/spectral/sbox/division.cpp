#include "fugu/spectral/sbox/division.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

#include "fugu/spectral/detail/check_rows.hpp"
#include "fugu/spectral/detail/moebius.hpp"
#include "fugu/spectral/detail/parallel.hpp"
#include "fugu/spectral/sbox/detail/products.hpp"

namespace fugu::spectral {
namespace {

// visit(v, the algebraic normal form of y^v) for all v, in any order.
template <class Visit>
void for_each_form(const SBox& box, const SBoxOptions& options, const Visit& visit) {
  const detail::Workers alone(1, nullptr);
  detail::Bits form;
  detail::for_each_product(detail::coordinates_of(box), box.inputs(), box.outputs(),
                           [&](std::uint64_t v, const detail::Bits& values) {
                             detail::throw_if_stopped(options.stop);
                             form = values;
                             detail::moebius(form, box.inputs(), alone);
                             visit(v, form);
                           });
}

void require_bits(const SBox& box, int most, std::string_view what) {
  detail::require_at_most(most, box.inputs() + box.outputs(), what, "input and output bits");
}

}  // namespace

std::vector<std::int64_t> division_trails(const SBox& box, const SBoxOptions& options) {
  require_bits(box, kMaxTrailBits, "division trails");
  const int inputs = box.inputs(), bits = inputs + box.outputs();
  const std::size_t size = std::size_t{1} << bits;
  std::vector<std::uint8_t> reached(size);  // at v * N + u: by this v; after the loop, by one <= v
  for_each_form(box, options, [&](std::uint64_t v, const detail::Bits& form) {
    for (std::size_t w = 0; w < box.size(); ++w) reached[v << inputs | w] = form[w / 64] >> (w % 64) & 1;
  });
  for (int i = 0; i < bits; ++i) {
    const std::size_t bit = std::size_t{1} << i;
    for (std::size_t k = 0; k < size; ++k) {
      if ((k & bit) == 0) reached[i < inputs ? k : k | bit] |= reached[i < inputs ? k | bit : k];
    }
  }
  std::vector<std::int64_t> trails(size);
  for (std::size_t k = 0; k < size; ++k) {
    bool least = reached[k] != 0;
    for (std::size_t v = k >> inputs; v != 0; v &= v - 1)
      least = least && reached[k ^ (v & -v) << inputs] == 0;
    trails[(k & (box.size() - 1)) << box.outputs() | k >> inputs] = least ? 1 : 0;
  }
  return trails;
}

std::vector<std::uint64_t> product_degrees(const SBox& box, const SBoxOptions& options) {
  require_bits(box, kMaxProductBits, "degrees of products");
  std::vector<std::uint64_t> degrees(static_cast<std::size_t>(box.outputs()));
  for_each_form(box, options, [&](std::uint64_t v, const detail::Bits& form) {
    if (v == 0) return;
    const int degree = std::max(0, detail::degree_of_form(form, {1, nullptr}));
    std::uint64_t& most = degrees[static_cast<std::size_t>(std::popcount(v)) - 1];
    most = std::max(most, static_cast<std::uint64_t>(degree));
  });
  for (std::size_t k = 1; k < degrees.size(); ++k) degrees[k] = std::max(degrees[k], degrees[k - 1]);
  return degrees;
}

}  // namespace fugu::spectral
