// The Fourier transform over a finite Abelian group, axis by axis, over any ring with a root of unity of
// order L.
//
// A ring has a type Scalar, the number `width` of scalars per value, and
//   add_product(y, x, values, e)   y += zeta^e x for `values` consecutive values
// An axis of q values is a cyclic transform by Cooley and Tukey over the prime factors of q, on rows of many
// values at once.
#include "fugu/spectral/groups/vilenkin_chrestenson.hpp"

#include <algorithm>
#include <string>

#include "fugu/error.hpp"
#include "fugu/spectral/detail/check_rows.hpp"
#include "fugu/spectral/detail/integers.hpp"
#include "fugu/spectral/detail/parallel.hpp"

namespace fugu::spectral {
namespace {

// Fewer scalars than this use one thread.
constexpr std::size_t kParallelScalars = std::size_t{1} << 16;

detail::Workers workers_for(std::size_t scalars, const GroupOptions& options) {
  const bool few = scalars < kParallelScalars;
  return {few ? 1 : options.threads, few ? nullptr : options.pool, options.stop};
}

// Scalars per tile: it and its result stay in the L2 cache.
constexpr std::size_t kGroupTileScalars = std::size_t{1} << 14;

template <class Ring>
class CyclicTransform {
 public:
  using Scalar = typename Ring::Scalar;

  // Transforms q rows of `values` values each.
  CyclicTransform(const Ring& ring, std::uint32_t modulus, std::uint32_t q, bool inverse, std::size_t values)
      : ring_(ring),
        modulus_(modulus),
        q_(q),
        inverse_(inverse),
        values_(values),
        row_(values * ring.width),
        in_(q * row_),
        out_(q * row_) {}

  Scalar* row(std::size_t z) { return &in_[z * row_]; }
  const Scalar* result(std::size_t w) const { return &out_[w * row_]; }
  void run() { transform(0, 1, out_.data(), q_); }

 private:
  // Transforms `n` rows of in_ from `first` on, `step` apart, to n rows of `out`.
  void transform(std::size_t first, std::size_t step, Scalar* out, std::uint32_t n) {
    if (n == 1) {
      std::copy_n(&in_[first * row_], row_, out);
      return;
    }
    const std::uint32_t p = detail::smallest_factor(n);
    const std::uint32_t m = n / p;
    for (std::uint32_t j = 0; j < p; ++j) transform(first + j * step, step * p, out + j * m * row_, m);
    std::vector<Scalar> sums(p * row_);
    for (std::uint32_t k = 0; k < m; ++k) combine(out, n, p, k, sums);
  }

  // Replaces rows k, k + m, ... by their sums with roots of order n.
  void combine(Scalar* out, std::uint32_t n, std::uint32_t p, std::uint32_t k, std::vector<Scalar>& sums) {
    const std::uint32_t m = n / p;
    std::ranges::fill(sums, Scalar{});
    for (std::uint32_t r = 0; r < p; ++r) {
      const std::uint64_t w = k + std::uint64_t{r} * m;
      for (std::uint32_t j = 0; j < p; ++j) {
        const std::uint64_t e = w * j % n * (modulus_ / n);
        ring_.add_product(&sums[r * row_], out + (j * m + k) * row_, values_,
                          static_cast<std::uint32_t>(inverse_ || e == 0 ? e : modulus_ - e));
      }
    }
    for (std::uint32_t r = 0; r < p; ++r) std::copy_n(&sums[r * row_], row_, out + (k + r * m) * row_);
  }

  const Ring& ring_;
  std::uint32_t modulus_;
  std::uint32_t q_;
  bool inverse_;
  std::size_t values_;
  std::size_t row_;  // scalars
  std::vector<Scalar> in_;
  std::vector<Scalar> out_;
};

// Transforms the axis whose digits are `stride` values apart.
template <class Ring>
void transform_axis(const Ring& ring, const core::DigitSystem& digits, std::uint32_t q, std::size_t stride,
                    bool inverse, std::span<typename Ring::Scalar> data, const detail::Workers& workers) {
  const std::size_t values = std::max<std::size_t>(1, kGroupTileScalars / (q * ring.width));
  const std::size_t lines = data.size() / (q * ring.width);
  const auto at = [&](std::size_t line, std::size_t z) {
    return &data[((line / stride * q + z) * stride + line % stride) * ring.width];
  };
  workers.for_ranges((lines + values - 1) / values, 1, [&](std::size_t first, std::size_t last) {
    CyclicTransform<Ring> cyclic(ring, digits.modulus, q, inverse, values);
    for (std::size_t tile = first; tile < last; ++tile) {
      const std::size_t begin = tile * values;
      const std::size_t end = std::min(lines, begin + values);
      for (std::uint32_t z = 0; z < q; ++z) {
        for (std::size_t line = begin; line < end; ++line)
          std::copy_n(at(line, z), ring.width, cyclic.row(z) + (line - begin) * ring.width);
      }
      cyclic.run();
      for (std::uint32_t w = 0; w < q; ++w) {
        for (std::size_t line = begin; line < end; ++line)
          std::copy_n(cyclic.result(w) + (line - begin) * ring.width, ring.width, at(line, w));
      }
    }
  });
}

// Transforms every axis of whole rows.
template <class Ring>
void transform_group(const Ring& ring, const core::DigitSystem& digits, bool inverse,
                     std::span<typename Ring::Scalar> data, const detail::Workers& workers) {
  std::size_t stride = 1;
  for (int s = digits.factors - 1; s >= 0; --s) {
    const std::uint32_t q = digits.radix[s];
    if (q > 1) transform_axis(ring, digits, q, stride, inverse, data, workers);
    stride *= q;
  }
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

// Multiplication by zeta^e rotates the counts of a value.
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

// An element of order `order`, a divisor of prime - 1: no smaller power of it is 1.
std::uint32_t element_of_order(std::uint32_t order, std::uint32_t prime) {
  for (std::uint32_t base = 1;; ++base) {
    const std::uint32_t candidate = detail::power_modulo(base, (prime - 1) / order, prime);
    bool smaller = false;
    for (std::uint32_t rest = order; rest > 1 && !smaller;) {
      const std::uint32_t p = detail::smallest_factor(rest);
      smaller = detail::power_modulo(candidate, order / p, prime) == 1;
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
  detail::require_rows_of(group.order(), rows.size());
  const ComplexRing<T> ring{roots_of_unity<T>(group.modulus())};
  const detail::Workers workers = workers_for(rows.size(), options);
  transform_group(ring, group.digits(), inverse, rows, workers);
  workers.refuse_overflow(detail::scalars_of<T>(rows));
}

void transform_residues(const CharacterGroup& group, const ResidueField& field, std::span<std::uint32_t> rows,
                        bool inverse, const GroupOptions& options) {
  detail::require_rows_of(group.order(), rows.size());
  if (std::ranges::any_of(rows, [&](std::uint32_t x) { return x >= field.prime(); })) {
    throw Error(Errc::usage, "a value is not a residue modulo " + std::to_string(field.prime()));
  }
  transform_group(ring_of(group, field), group.digits(), inverse, rows, workers_for(rows.size(), options));
}

constexpr std::uint64_t kLargestSum = (std::uint64_t{1} << 63) - 1;

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
    throw Error(Errc::usage, "each value of this group needs " + std::to_string(width) + " counts");
  detail::require_rows_of(group.order(), counts.size() / width);
  const auto row = static_cast<std::size_t>(group.order() * width);
  for (std::size_t at = 0; at < counts.size(); at += row) {
    if (detail::capped_sum<std::int64_t>(counts.subspan(at, row), kLargestSum) == kLargestSum)
      throw Error(Errc::usage, "the sum of all counts may exceed 64-bit integers");
  }
  transform_group(CountRing{width}, group.digits(), false, counts, workers_for(counts.size(), options));
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
  if (!detail::is_prime(group.modulus())) {
    throw Error(Errc::usage,
                "coordinates are unique only if the least common multiple of the factors is prime, not for " +
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
  const bool fits =
      prime < (std::uint32_t{1} << 31) && detail::is_prime(prime) && (prime - 1) % group.modulus() == 0;
  if (!fits) {
    throw Error(Errc::usage, std::to_string(prime) + " is not a prime of the form " +
                                 std::to_string(group.modulus()) + " k + 1 below 2^31");
  }
  root_ = element_of_order(group.modulus(), prime);
}

ResidueField ResidueField::largest(const CharacterGroup& group, int skipped) {
  const std::uint32_t step = group.modulus();
  const std::uint32_t limit = (std::uint32_t{1} << 31) - 1;
  for (std::uint32_t prime = (limit - 1) / step * step + 1; prime > step; prime -= step) {
    if (detail::is_prime(prime) && skipped-- == 0) return {group, prime};
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
  const std::uint64_t scale = detail::inverse_modulo(group.order(), field.prime());
  for (std::uint32_t& value : rows) value = static_cast<std::uint32_t>(value * scale % field.prime());
}

#define FUGU_INSTANTIATE(T)                                                                     \
  template void vilenkin_chrestenson(const CharacterGroup&, std::span<std::complex<T>>,         \
                                     const GroupOptions&);                                      \
  template void inverse_vilenkin_chrestenson(const CharacterGroup&, std::span<std::complex<T>>, \
                                             const GroupOptions&);
FUGU_INSTANTIATE(float)
FUGU_INSTANTIATE(double)
#undef FUGU_INSTANTIATE

}  // namespace fugu::spectral
