// Convolutions over a group by transforms, on any device. Internal.
//
// A Transform transforms one row in place: transform(direction, row) of complex values and
// transform(direction, field, row) of residues.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "fugu/spectral/detail/overflow.hpp"
#include "fugu/spectral/groups/vilenkin_chrestenson.hpp"
#include "fugu/spectral/overflow.hpp"

namespace fugu::spectral::detail {

enum class Direction : std::uint8_t { forward, inverse };

// Whether the second spectrum is conjugated before the product.
enum class Second : std::uint8_t { as_it_is, conjugate };

// Throws Error{usage}.
void require_one_row(const CharacterGroup& group, std::size_t values);

// Throws Error{usage} if the convolution may reach 2^60.
void require_small(std::span<const std::int64_t> f, std::span<const std::int64_t> g);

std::vector<std::uint32_t> residues_of(std::span<const std::int64_t> values, std::uint32_t prime);

// x -> -x: the conjugate of a spectrum of integers transforms back to this.
std::vector<std::int64_t> reflected(const CharacterGroup& group, std::span<const std::int64_t> f);

// The integers of magnitude below half the primes' product, from their residues modulo both.
void combine_residues(const ResidueField& first, std::span<const std::uint32_t> a, const ResidueField& second,
                      std::span<const std::uint32_t> b, std::span<std::int64_t> result);

template <class Transform>
std::vector<std::uint32_t> convolve_residues(const ResidueField& field, std::span<const std::int64_t> f,
                                             std::span<const std::int64_t> g, const Transform& transform) {
  std::vector<std::uint32_t> a = residues_of(f, field.prime());
  std::vector<std::uint32_t> b = residues_of(g, field.prime());
  transform(Direction::forward, field, std::span(a));
  transform(Direction::forward, field, std::span(b));
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<std::uint32_t>(std::uint64_t{a[i]} * b[i] % field.prime());
  transform(Direction::inverse, field, std::span(a));
  return a;
}

template <class Transform>
void convolve_integers(const CharacterGroup& group, std::span<std::int64_t> f,
                       std::span<const std::int64_t> g, const Transform& transform) {
  require_small(f, g);
  const ResidueField first = ResidueField::largest(group, 0);
  const ResidueField second = ResidueField::largest(group, 1);
  const std::vector<std::uint32_t> a = convolve_residues(first, f, g, transform);
  const std::vector<std::uint32_t> b = convolve_residues(second, f, g, transform);
  combine_residues(first, a, second, b, f);
}

template <class T, class Transform>
void convolve_complex(std::span<std::complex<T>> f, std::span<std::complex<T>> g, Second second,
                      const Transform& transform) {
  transform(Direction::forward, f);
  if (g.data() != f.data()) transform(Direction::forward, g);
  const OverflowFlag flag;
  for (std::size_t i = 0; i < f.size(); ++i) f[i] *= second == Second::conjugate ? std::conj(g[i]) : g[i];
  if (flag.raised()) require_finite(scalars_of<T>(f));
  transform(Direction::inverse, f);
}

template <class T, class Transform>
void convolve(const CharacterGroup& group, std::span<T> f, std::span<T> g, const Transform& transform) {
  require_one_row(group, f.size());
  require_one_row(group, g.size());
  if constexpr (std::is_integral_v<T>) {
    convolve_integers(group, f, g, transform);
  } else {
    convolve_complex(f, g, Second::as_it_is, transform);
  }
}

template <class T, class Transform>
void autocorrelate(const CharacterGroup& group, std::span<T> f, const Transform& transform) {
  require_one_row(group, f.size());
  if constexpr (std::is_integral_v<T>) {
    convolve_integers(group, f, reflected(group, f), transform);
  } else {
    convolve_complex(f, f, Second::conjugate, transform);
  }
}

}  // namespace fugu::spectral::detail
