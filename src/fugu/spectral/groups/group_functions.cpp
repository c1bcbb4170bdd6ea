// Convolutions over a group by transforms: of complex values directly, of integers modulo two primes.
#include "fugu/spectral/groups/group_functions.hpp"

#include <limits>
#include <type_traits>

#include "fugu/spectral/detail/integers.hpp"
#include "fugu/spectral/detail/overflow.hpp"
#include "fugu/spectral/overflow.hpp"

namespace fugu::spectral {
namespace {

constexpr std::uint64_t kLargestConvolution = std::uint64_t{1} << 60;

void require_one_row(const CharacterGroup& group, std::size_t values) {
  if (values == group.order()) return;
  throw Error(Errc::usage, std::to_string(values) + " values where the group has " +
                               std::to_string(group.order()) + " elements");
}

// Throws Error{usage} if the convolution may reach 2^60: it is at most the sum of |f| times the largest |g|.
void require_small(std::span<const std::int64_t> f, std::span<const std::int64_t> g) {
  const std::uint64_t sum = detail::capped_sum(f, kLargestConvolution);
  const std::uint64_t largest = detail::largest_magnitude(g);
  if (largest == 0 || sum < kLargestConvolution / largest) return;
  throw Error(Errc::usage, "the convolution may reach 2^60; divide the values by a common factor");
}

std::vector<std::uint32_t> residues_of(std::span<const std::int64_t> values, std::uint32_t prime) {
  std::vector<std::uint32_t> residues(values.size());
  std::ranges::transform(values, residues.begin(), [&](std::int64_t x) {
    const std::int64_t r = x % static_cast<std::int64_t>(prime);
    return static_cast<std::uint32_t>(r < 0 ? r + static_cast<std::int64_t>(prime) : r);
  });
  return residues;
}

// x -> -x: the conjugate of a spectrum of integers transforms back to this.
std::vector<std::int64_t> reflected(const CharacterGroup& group, std::span<const std::int64_t> f) {
  const core::DigitSystem& digits = group.digits();
  std::vector<std::int64_t> result(f.size());
  for (std::size_t x = 0; x < f.size(); ++x) {
    std::size_t rest = x, place = 1, at = 0;
    for (int s = digits.factors - 1; s >= 0; --s) {
      const std::uint32_t q = digits.radix[s];
      at += (q - rest % q) % q * place;
      rest /= q;
      place *= q;
    }
    result[at] = f[x];
  }
  return result;
}

// The integers of magnitude below half the primes' product, from their residues modulo both, by Garner's
// algorithm.
void combine_residues(const ResidueField& first, std::span<const std::uint32_t> a, const ResidueField& second,
                      std::span<const std::uint32_t> b, std::span<std::int64_t> result) {
  const std::uint64_t p = first.prime();
  const std::uint64_t q = second.prime();
  const std::uint64_t p_inverse = detail::inverse_modulo(p, second.prime());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::uint64_t value = a[i] + p * ((b[i] + q - a[i] % q) % q * p_inverse % q);
    result[i] =
        value > p * q / 2 ? -static_cast<std::int64_t>(p * q - value) : static_cast<std::int64_t>(value);
  }
}

std::vector<std::uint32_t> convolve_residues(const CharacterGroup& group, const ResidueField& field,
                                             std::span<const std::int64_t> f, std::span<const std::int64_t> g,
                                             const GroupOptions& options) {
  std::vector<std::uint32_t> a = residues_of(f, field.prime());
  std::vector<std::uint32_t> b = residues_of(g, field.prime());
  vilenkin_chrestenson(group, field, std::span(a), options);
  vilenkin_chrestenson(group, field, std::span(b), options);
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<std::uint32_t>(std::uint64_t{a[i]} * b[i] % field.prime());
  inverse_vilenkin_chrestenson(group, field, std::span(a), options);
  return a;
}

void convolve_integers(const CharacterGroup& group, std::span<std::int64_t> f,
                       std::span<const std::int64_t> g, const GroupOptions& options) {
  require_small(f, g);
  const ResidueField first = ResidueField::largest(group, 0);
  const ResidueField second = ResidueField::largest(group, 1);
  const std::vector<std::uint32_t> a = convolve_residues(group, first, f, g, options);
  const std::vector<std::uint32_t> b = convolve_residues(group, second, f, g, options);
  combine_residues(first, a, second, b, f);
}

// Whether the second spectrum is conjugated before the product.
enum class Second : std::uint8_t { as_it_is, conjugate };

template <class T>
void convolve_complex(const CharacterGroup& group, std::span<std::complex<T>> f, std::span<std::complex<T>> g,
                      Second second, const GroupOptions& options) {
  vilenkin_chrestenson(group, f, options);
  if (g.data() != f.data()) vilenkin_chrestenson(group, g, options);
  const detail::OverflowFlag flag;
  for (std::size_t i = 0; i < f.size(); ++i) f[i] *= second == Second::conjugate ? std::conj(g[i]) : g[i];
  if (flag.raised()) require_finite(detail::scalars_of<T>(f));
  inverse_vilenkin_chrestenson(group, f, options);
}

std::uint32_t prime_of(const CharacterGroup& group) {
  const core::DigitSystem& digits = group.digits();
  const bool equal = std::all_of(digits.radix, digits.radix + digits.factors,
                                 [&](std::uint32_t q) { return q == digits.modulus; });
  if (equal && detail::is_prime(digits.modulus)) return digits.modulus;
  throw Error(Errc::usage, "this needs a group C_p^n with a prime p, such as 3^8");
}

constexpr std::uint64_t kLargestOrder = std::uint64_t{1} << 31;

// |W|^2 = sum over d of a_d zeta^d with a_d = sum over k of c_k c_(k-d): an integer if all a_d except a_0 are
// equal, since 1 + zeta + ... + zeta^(p-1) = 0.
std::optional<std::uint64_t> squared_magnitude(std::span<const std::int64_t> counts) {
  const std::size_t p = counts.size();
  std::vector<std::int64_t> a(p);
  for (std::size_t d = 0; d < p; ++d) {
    for (std::size_t k = 0; k < p; ++k) a[d] += counts[k] * counts[(k + p - d) % p];
  }
  const bool integer = std::all_of(a.begin() + 1, a.end(), [&](std::int64_t x) { return x == a[1]; });
  if (!integer) return std::nullopt;
  return static_cast<std::uint64_t>(a[0] - a[1]);
}

bool is_balanced(std::span<const std::uint32_t> f, std::uint32_t p) {
  std::vector<std::uint64_t> times(p);
  for (const std::uint32_t value : f) ++times[value];
  return std::ranges::all_of(times, [&](std::uint64_t count) { return count == f.size() / p; });
}

}  // namespace

template <class T>
void group_convolve(const CharacterGroup& group, std::span<T> f, std::span<T> g,
                    const GroupOptions& options) {
  require_one_row(group, f.size());
  require_one_row(group, g.size());
  if constexpr (std::is_integral_v<T>) {
    convolve_integers(group, f, g, options);
  } else {
    convolve_complex(group, f, g, Second::as_it_is, options);
  }
}

template <class T>
void group_autocorrelate(const CharacterGroup& group, std::span<T> f, const GroupOptions& options) {
  require_one_row(group, f.size());
  if constexpr (std::is_integral_v<T>) {
    convolve_integers(group, f, reflected(group, f), options);
  } else {
    convolve_complex(group, f, f, Second::conjugate, options);
  }
}

PValuedSummary summarize_p_valued(const CharacterGroup& group, std::span<const std::uint32_t> f,
                                  const GroupOptions& options) {
  const std::uint32_t p = prime_of(group);
  require_one_row(group, f.size());
  if (group.order() > kLargestOrder) throw Error(Errc::usage, "|W|^2 may exceed 64-bit integers");
  std::vector<std::int64_t> counts = counts_of_exponents(group, f);
  vilenkin_chrestenson_counts(group, counts, options);
  PValuedSummary summary{.balanced = is_balanced(f, p)};
  std::uint64_t largest = 0;
  std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();  // besides 0
  for (std::size_t w = 0; w < group.order(); ++w) {
    const auto square = squared_magnitude(std::span(counts).subspan(w * p, p));
    if (!square) return summary;
    largest = std::max(largest, *square);
    if (*square != 0) smallest = std::min(smallest, *square);
  }
  summary.largest_square = largest;
  summary.plateaued = smallest == largest;
  summary.bent = largest == group.order();  // the mean of all |W|^2
  return summary;
}

#define FUGU_INSTANTIATE(T)                                                                             \
  template void group_convolve(const CharacterGroup&, std::span<T>, std::span<T>, const GroupOptions&); \
  template void group_autocorrelate(const CharacterGroup&, std::span<T>, const GroupOptions&);
FUGU_INSTANTIATE(std::complex<float>)
FUGU_INSTANTIATE(std::complex<double>)
FUGU_INSTANTIATE(std::int64_t)
#undef FUGU_INSTANTIATE

}  // namespace fugu::spectral
