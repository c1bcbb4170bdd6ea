// Exact integers until the last quotient.
#include "fugu/spectral/sbox/leakage.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "fugu/spectral/detail/wide.hpp"
#include "fugu/spectral/dyadic.hpp"

namespace fugu::spectral {
namespace {

using detail::Wide;

// `value`, from 0 to 2^126, as a double.
double real_of(Wide value) {
  const double high = static_cast<double>(value.shifted_right(63));
  const auto low = static_cast<std::uint64_t>(value.shifted_right(0)) & ~(std::uint64_t{1} << 63);
  return std::ldexp(high, 63) + static_cast<double>(low);
}

}  // namespace

// |sum over j of W| <= m N <= 2^25, and the sum of its squares is at most m^2 N^2: the fourth powers add up
// to 2^100 at most.
double signal_to_noise_ratio(const SBox& box, const SBoxOptions& options) {
  std::vector<std::int64_t> sums(box.size());
  for (int j = 0; j < box.outputs(); ++j) {
    const auto spectrum = walsh_spectrum(component(box, std::uint32_t{1} << j),
                                         {.threads = options.threads, .stop = options.stop});
    for (std::size_t a = 0; a < sums.size(); ++a) sums[a] += spectrum[a];
  }
  Wide fourth_powers;
  for (const std::int64_t sum : sums) fourth_powers = fourth_powers + Wide(sum * sum) * Wide(sum * sum);
  const auto size = static_cast<double>(box.size());
  return box.outputs() * size * size / std::sqrt(real_of(fourth_powers));
}

// N kappa(d) = 2 sum of h(x)^2 - 2 sum of h(x) h(x + d), h = wt(S): at most 2^30.
ConfusionCoefficients confusion_coefficients(const SBox& box, const SBoxOptions& options) {
  std::vector<std::int64_t> products(box.size());
  std::ranges::transform(box.values(), products.begin(),
                         [](std::uint32_t value) { return std::popcount(value); });
  dyadic_autocorrelate(std::span(products), {.threads = options.threads, .stop = options.stop});
  std::int64_t sum = 0;
  std::int64_t least = 0;
  Wide squares;
  for (std::size_t d = 1; d < products.size(); ++d) {
    const std::int64_t difference = 2 * (products[0] - products[d]);
    least = d == 1 ? difference : std::min(least, difference);
    sum += difference;
    squares = squares + Wide(difference) * Wide(difference);
  }
  const auto others = static_cast<std::int64_t>(box.size() - 1);
  const auto size = static_cast<double>(box.size());
  const double pairs = static_cast<double>(others) * size;
  const Wide variance = Wide(others) * squares - Wide(sum) * Wide(sum);
  return {static_cast<double>(sum) / pairs, real_of(variance) / (pairs * pairs),
          static_cast<double>(least) / size};
}

}  // namespace fugu::spectral
