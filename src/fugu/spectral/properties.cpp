// Cryptographic properties of one Boolean function, from its two spectra and its algebraic normal form.
#include "fugu/spectral/properties.hpp"

#include <bit>
#include <cstdlib>

#include "fugu/spectral/detail/check_rows.hpp"
#include "fugu/spectral/detail/packed_bits.hpp"

namespace fugu::spectral {
namespace {

constexpr std::size_t kMonomialsBetweenLooks =
    std::size_t{1} << 12;  // less than a millisecond between looks at the stop token

std::uint64_t magnitude(std::int64_t value) {
  return static_cast<std::uint64_t>(std::abs(value));
}

std::uint64_t weight_of(const TruthTable& table) {
  std::uint64_t weight = 0;
  for (const std::uint64_t word : table.words()) weight += static_cast<std::uint64_t>(std::popcount(word));
  return weight;
}

// The largest t with values[a] = 0 for 1 <= wt(a) <= t.
template <class T>
int zero_order(std::span<const T> values, int variables) {
  int order = variables;
  for (std::size_t a = 1; a < values.size(); ++a) {
    if (values[a] != 0) order = std::min(order, std::popcount(a) - 1);
  }
  return order;
}

void take_walsh(const TruthTable& function, std::span<const std::int32_t> spectrum,
                BooleanProperties& result) {
  for (const std::int32_t w : spectrum) ++result.walsh[w];
  for (const auto& [value, count] : result.walsh)
    result.linearity = std::max(result.linearity, magnitude(value));
  result.nonlinearity = (function.size() - result.linearity) / 2;
  result.zeros = result.walsh.contains(0) ? result.walsh[0] : 0;
  if (result.zeros == 0) result.walsh.erase(0);
  result.balanced = spectrum[0] == 0;
  result.correlation_immunity = zero_order(spectrum, function.variables());
  result.resiliency = result.balanced ? result.correlation_immunity : -1;
  result.plateaued = std::ranges::all_of(result.walsh, [&](const auto& entry) {
    return entry.first == 0 || magnitude(entry.first) == result.linearity;
  });
  result.bent = function.variables() > 0 && result.linearity * result.linearity == function.size();
}

void take_autocorrelation(const TruthTable& function, std::span<const std::int64_t> r,
                          BooleanProperties& result) {
  const auto size = static_cast<std::int64_t>(function.size());
  for (const std::int64_t value : r) {
    ++result.autocorrelation[value];
    result.sum_of_squares += magnitude(value) * magnitude(value);
    result.linear_structures += magnitude(value) == function.size() ? 1u : 0u;
    result.negative_structures += value == -size ? 1u : 0u;
  }
  for (const std::int64_t value : r.subspan(1))
    result.absolute_indicator = std::max(result.absolute_indicator, magnitude(value));
  result.propagation = zero_order(r, function.variables());
}

}  // namespace

BooleanProperties properties(const TruthTable& function, const WalshOptions& options) {
  detail::require_at_most(kMaxPropertyVariables, function.variables(), "properties", "variables");
  const WalshOptions natural{.threads = options.threads, .stop = options.stop, .limits = options.limits};
  BooleanProperties result;
  result.weight = weight_of(function);
  const TruthTable form = moebius(function, natural);
  result.degree = detail::degree_of_form(form.words(), detail::Workers(natural, form.size()));
  result.terms = weight_of(form);
  take_walsh(function, walsh_spectrum(function, natural), result);
  take_autocorrelation(function, autocorrelation(function, natural), result);
  return result;
}

std::string polynomial_text(const TruthTable& form, const WalshOptions& options) {
  std::string text;
  for (std::size_t monomial = 0; monomial < form.size(); ++monomial) {
    if (monomial % kMonomialsBetweenLooks == 0) detail::throw_if_stopped(options.stop);
    if (!form[monomial]) continue;
    if (!text.empty()) text += " + ";
    if (monomial == 0) text += '1';
    std::string_view between;
    for (std::size_t rest = monomial; rest != 0; rest &= rest - 1) {
      text += between;
      text += 'x';
      text += std::to_string(std::countr_zero(rest));
      between = " ";
    }
  }
  return text.empty() ? "0" : text;
}

}  // namespace fugu::spectral
