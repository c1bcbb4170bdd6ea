// The Fourier transform over a finite Abelian group, axis by axis, over any ring with a root of unity of
// order L. Internal.
//
// A ring has a type Scalar, the number `width` of scalars per value, and
//   add_product(y, x, values, e)   y += zeta^e x for `values` consecutive values
// An axis of q values is a cyclic transform by Cooley and Tukey over the prime factors of q, on rows of many
// values at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "fugu/core/digits.hpp"
#include "fugu/spectral/detail/parallel.hpp"

namespace fugu::spectral::detail {

// Scalars per tile: it and its result stay in the L2 cache.
inline constexpr std::size_t kGroupTileScalars = std::size_t{1} << 14;

inline std::uint32_t smallest_factor(std::uint32_t q) {
  for (std::uint32_t p = 2; p * p <= q; ++p) {
    if (q % p == 0) return p;
  }
  return q;
}

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
    const std::uint32_t p = smallest_factor(n);
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
                    bool inverse, std::span<typename Ring::Scalar> data, const Workers& workers) {
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
                     std::span<typename Ring::Scalar> data, const Workers& workers) {
  std::size_t stride = 1;
  for (int s = digits.factors - 1; s >= 0; --s) {
    const std::uint32_t q = digits.radix[s];
    if (q > 1) transform_axis(ring, digits, q, stride, inverse, data, workers);
    stride *= q;
  }
}

}  // namespace fugu::spectral::detail
