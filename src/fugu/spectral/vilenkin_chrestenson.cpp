// The rings over which the transform of detail/group_passes.hpp runs, and what is made of it.
#include "fugu/spectral/vilenkin_chrestenson.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>

#include "fugu/error.hpp"
#include "fugu/spectral/detail/group_passes.hpp"

namespace fugu::spectral {
namespace {

// Fewer scalars than these are worked on by one thread.
constexpr std::size_t kParallelScalars = std::size_t{1} << 16;

detail::Workers workers_for(std::size_t scalars, const GroupOptions& options) {
  const bool few = scalars < kParallelScalars;
  return {few ? 1 : options.threads, few ? nullptr : options.pool, options.stop};
}

void require_rows(const CharacterGroup& group, std::size_t values) {
  if (values % group.order() == 0) return;
  throw Error(Errc::usage, std::to_string(values) + " values are not whole rows of the group's " +
                               std::to_string(group.order()));
}

void require_one_row(const CharacterGroup& group, std::size_t values) {
  if (values == group.order()) return;
  throw Error(Errc::usage, std::to_string(values) + " values where the group has " +
                               std::to_string(group.order()) + " elements");
}

template <class T>
struct ComplexRing {
  using Scalar = std::complex<T>;
  static constexpr std::size_t width = 1;
  std::vector<Scalar> roots;

  void add_product(Scalar* y, const Scalar* x, std::size_t values, std::uint32_t e) const {
    const T c = roots[e].real();
    const T s = roots[e].imag();
    for (std::size_t i = 0; i < values; ++i) {
      y[i] = {y[i].real() + (c * x[i].real() - s * x[i].imag()),
              y[i].imag() + (c * x[i].imag() + s * x[i].real())};
    }
  }
};

// Multiplying by zeta^e turns the counts of a value.
struct CountRing {
  using Scalar = std::int64_t;
  std::size_t width;

  void add_product(Scalar* y, const Scalar* x, std::size_t values, std::uint32_t e) const {
    for (std::size_t i = 0; i < values; ++i, y += width, x += width) {
      for (std::size_t k = 0; k < e; ++k) y[k] += x[k + width - e];
      for (std::size_t k = e; k < width; ++k) y[k] += x[k - e];
    }
  }
};

struct ResidueRing {
  using Scalar = std::uint32_t;
  static constexpr std::size_t width = 1;
  std::uint32_t prime;
  std::vector<std::uint32_t> roots;

  void add_product(Scalar* y, const Scalar* x, std::size_t values, std::uint32_t e) const {
    const std::uint64_t root = roots[e];
    for (std::size_t i = 0; i < values; ++i) y[i] = static_cast<std::uint32_t>((y[i] + root * x[i]) % prime);
  }
};

std::uint32_t power(std::uint64_t base, std::uint64_t exponent, std::uint32_t prime) {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent /= 2, base = base * base % prime) {
    if (exponent % 2 == 1) result = result * base % prime;
  }
  return static_cast<std::uint32_t>(result);
}

std::uint32_t inverse_of(std::uint64_t x, std::uint32_t prime) {
  return power(x % prime, prime - 2, prime);
}

bool is_prime(std::uint32_t q) {
  return q > 1 && detail::smallest_factor(q) == q;
}

// An element of order `order`, which divides prime - 1: a power that no smaller exponent takes to 1.
std::uint32_t element_of_order(std::uint32_t order, std::uint32_t prime) {
  for (std::uint32_t base = 1;; ++base) {
    const std::uint32_t candidate = power(base, (prime - 1) / order, prime);
    bool smaller = false;
    for (std::uint32_t rest = order; rest > 1 && !smaller;) {
      const std::uint32_t p = detail::smallest_factor(rest);
      smaller = power(candidate, order / p, prime) == 1;
      while (rest % p == 0) rest /= p;
    }
    if (!smaller) return candidate;
  }
}

ResidueRing ring_of(const CharacterGroup& group, const ResidueField& field) {
  ResidueRing ring{field.prime(), std::vector<std::uint32_t>(group.modulus(), 1 % field.prime())};
  for (std::size_t k = 1; k < ring.roots.size(); ++k)
    ring.roots[k] =
        static_cast<std::uint32_t>(std::uint64_t{ring.roots[k - 1]} * field.root() % field.prime());
  return ring;
}

template <class T>
void transform_complex(const CharacterGroup& group, std::span<std::complex<T>> rows, bool inverse,
                       const GroupOptions& options) {
  require_rows(group, rows.size());
  const ComplexRing<T> ring{roots_of_unity<T>(group.modulus())};
  detail::transform_group(ring, group.digits(), inverse, rows, workers_for(rows.size(), options));
}

void transform_residues(const CharacterGroup& group, const ResidueField& field, std::span<std::uint32_t> rows,
                        bool inverse, const GroupOptions& options) {
  require_rows(group, rows.size());
  if (std::ranges::any_of(rows, [&](std::uint32_t x) { return x >= field.prime(); })) {
    throw Error(Errc::usage, "there are values that are no residues modulo " + std::to_string(field.prime()));
  }
  detail::transform_group(ring_of(group, field), group.digits(), inverse, rows,
                          workers_for(rows.size(), options));
}

std::uint64_t magnitude(std::int64_t x) {
  return x < 0 ? 0 - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
}

// The sum of |x|, or `cap` where it is larger.
std::uint64_t capped_sum(std::span<const std::int64_t> values, std::uint64_t cap) {
  std::uint64_t sum = 0;
  for (const std::int64_t x : values) sum += std::min(magnitude(x), cap - sum);
  return sum;
}

constexpr std::uint64_t kLargestSum = (std::uint64_t{1} << 63) - 1;
constexpr std::uint64_t kLargestConvolution = std::uint64_t{1} << 60;

// C is at most the sum of |f| times the largest |g|.
void require_small(std::span<const std::int64_t> f, std::span<const std::int64_t> g) {
  const std::uint64_t sum = capped_sum(f, kLargestConvolution);
  std::uint64_t largest = 0;
  for (const std::int64_t x : g) largest = std::max(largest, magnitude(x));
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

// What a spectrum G becomes on its way into the product.
enum class Second : std::uint8_t { as_it_is, conjugate };

// x -> -x, which is what the conjugate of a spectrum of integers transforms back to.
std::vector<std::int64_t> reflected(const CharacterGroup& group, std::span<const std::int64_t> f) {
  const core::DigitSystem& digits = group.digits();
  std::vector<std::int64_t> result(f.size());
  for (std::size_t x = 0; x < f.size(); ++x) {
    std::uint64_t rest = x, place = 1, at = 0;
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

// From the residues modulo two primes, by Garner's method; below half of their product either way.
void convolve_integers(const CharacterGroup& group, std::span<std::int64_t> f,
                       std::span<const std::int64_t> g, const GroupOptions& options) {
  require_small(f, g);
  const ResidueField first = ResidueField::largest(group, 0);
  const ResidueField second = ResidueField::largest(group, 1);
  const std::uint64_t p = first.prime();
  const std::uint64_t q = second.prime();
  const std::vector<std::uint32_t> a = convolve_residues(group, first, f, g, options);
  const std::vector<std::uint32_t> b = convolve_residues(group, second, f, g, options);
  const std::uint64_t p_inverse = inverse_of(p, second.prime());
  for (std::size_t i = 0; i < f.size(); ++i) {
    const std::uint64_t value = a[i] + p * ((b[i] + q - a[i] % q) % q * p_inverse % q);
    f[i] = value > p * q / 2 ? -static_cast<std::int64_t>(p * q - value) : static_cast<std::int64_t>(value);
  }
}

template <class T>
void convolve_complex(const CharacterGroup& group, std::span<std::complex<T>> f, std::span<std::complex<T>> g,
                      Second second, const GroupOptions& options) {
  vilenkin_chrestenson(group, f, options);
  if (g.data() != f.data()) vilenkin_chrestenson(group, g, options);
  for (std::size_t i = 0; i < f.size(); ++i) f[i] *= second == Second::conjugate ? std::conj(g[i]) : g[i];
  inverse_vilenkin_chrestenson(group, f, options);
}

std::uint32_t prime_of(const CharacterGroup& group) {
  const core::DigitSystem& digits = group.digits();
  const bool equal = std::all_of(digits.radix, digits.radix + digits.factors,
                                 [&](std::uint32_t q) { return q == digits.modulus; });
  if (equal && is_prime(digits.modulus)) return digits.modulus;
  throw Error(Errc::usage, "this needs a group C_p^n with a prime p, such as 3^8");
}

constexpr std::uint64_t kLargestOrder = std::uint64_t{1} << 31;

// |W|^2 = sum over d of a_d zeta^d with a_d = sum over k of c_k c_(k-d): an integer where all a_d but a_0 are
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
void vilenkin_chrestenson(const CharacterGroup& group, std::span<std::complex<T>> rows,
                          const GroupOptions& options) {
  transform_complex(group, rows, false, options);
}

template <class T>
void inverse_vilenkin_chrestenson(const CharacterGroup& group, std::span<std::complex<T>> rows,
                                  const GroupOptions& options) {
  transform_complex(group, rows, true, options);
  const T order = static_cast<T>(group.order());
  for (std::complex<T>& value : rows) value /= order;
}

void vilenkin_chrestenson_counts(const CharacterGroup& group, std::span<std::int64_t> counts,
                                 const GroupOptions& options) {
  const std::size_t width = group.modulus();
  if (counts.size() % width != 0)
    throw Error(Errc::usage, "a value of this group has " + std::to_string(width) + " counts");
  require_rows(group, counts.size() / width);
  for (std::size_t at = 0; at < counts.size(); at += group.order() * width) {
    if (capped_sum(counts.subspan(at, group.order() * width), kLargestSum) == kLargestSum)
      throw Error(Errc::usage, "the sum of all counts may exceed 64-bit integers");
  }
  detail::transform_group(CountRing{width}, group.digits(), false, counts,
                          workers_for(counts.size(), options));
}

std::vector<std::int64_t> counts_of_integers(const CharacterGroup& group, std::span<const std::int64_t> f) {
  std::vector<std::int64_t> counts(f.size() * group.modulus());
  for (std::size_t x = 0; x < f.size(); ++x) counts[x * group.modulus()] = f[x];
  return counts;
}

std::vector<std::int64_t> counts_of_exponents(const CharacterGroup& group, std::span<const std::uint32_t> f) {
  const std::uint32_t modulus = group.modulus();
  std::vector<std::int64_t> counts(f.size() * modulus);
  for (std::size_t x = 0; x < f.size(); ++x) {
    if (f[x] >= modulus) {
      throw Error(Errc::usage, "value " + std::to_string(x) + " is " + std::to_string(f[x]) +
                                   ", not one of 0 to " + std::to_string(modulus - 1));
    }
    counts[x * modulus + f[x]] = 1;
  }
  return counts;
}

std::vector<std::int64_t> reduced_counts(const CharacterGroup& group, std::span<const std::int64_t> counts) {
  const std::size_t width = group.modulus();
  if (!is_prime(group.modulus())) {
    throw Error(Errc::usage,
                "coordinates are unique where the least common multiple of the factors is prime, "
                "not for " +
                    std::to_string(width));
  }
  std::vector<std::int64_t> reduced;
  reduced.reserve(counts.size() / width * (width - 1));
  for (std::size_t at = 0; at < counts.size(); at += width) {
    for (std::size_t k = 0; k + 1 < width; ++k) reduced.push_back(counts[at + k] - counts[at + width - 1]);
  }
  return reduced;
}

ResidueField::ResidueField(const CharacterGroup& group, std::uint32_t prime) : prime_(prime), root_(0) {
  const bool fits = prime < (std::uint32_t{1} << 31) && is_prime(prime) && (prime - 1) % group.modulus() == 0;
  if (!fits) {
    throw Error(Errc::usage, std::to_string(prime) + " is no prime of the form " +
                                 std::to_string(group.modulus()) + " k + 1 below 2^31");
  }
  root_ = element_of_order(group.modulus(), prime);
}

ResidueField ResidueField::largest(const CharacterGroup& group, int skipped) {
  const std::uint32_t step = group.modulus();
  const std::uint32_t limit = (std::uint32_t{1} << 31) - 1;
  for (std::uint32_t prime = (limit - 1) / step * step + 1; prime > step; prime -= step) {
    if (is_prime(prime) && skipped-- == 0) return {group, prime};
  }
  throw Error(Errc::usage, "there is no prime of the form " + std::to_string(step) + " k + 1 below 2^31");
}

void vilenkin_chrestenson(const CharacterGroup& group, const ResidueField& field,
                          std::span<std::uint32_t> rows, const GroupOptions& options) {
  transform_residues(group, field, rows, false, options);
}

void inverse_vilenkin_chrestenson(const CharacterGroup& group, const ResidueField& field,
                                  std::span<std::uint32_t> rows, const GroupOptions& options) {
  transform_residues(group, field, rows, true, options);
  const std::uint64_t scale = inverse_of(group.order(), field.prime());
  for (std::uint32_t& value : rows) value = static_cast<std::uint32_t>(value * scale % field.prime());
}

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

#define FUGU_INSTANTIATE(T)                                                                     \
  template void vilenkin_chrestenson(const CharacterGroup&, std::span<std::complex<T>>,         \
                                     const GroupOptions&);                                      \
  template void inverse_vilenkin_chrestenson(const CharacterGroup&, std::span<std::complex<T>>, \
                                             const GroupOptions&);                              \
  template void group_convolve(const CharacterGroup&, std::span<std::complex<T>>,               \
                               std::span<std::complex<T>>, const GroupOptions&);                \
  template void group_autocorrelate(const CharacterGroup&, std::span<std::complex<T>>, const GroupOptions&);
FUGU_INSTANTIATE(float)
FUGU_INSTANTIATE(double)
#undef FUGU_INSTANTIATE
template void group_convolve(const CharacterGroup&, std::span<std::int64_t>, std::span<std::int64_t>,
                             const GroupOptions&);
template void group_autocorrelate(const CharacterGroup&, std::span<std::int64_t>, const GroupOptions&);

}  // namespace fugu::spectral
