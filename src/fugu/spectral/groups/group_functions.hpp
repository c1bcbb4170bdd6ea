// Convolution, autocorrelation and bentness of functions on a finite abelian group.
#pragma once

#include <optional>

#include "fugu/spectral/groups/vilenkin_chrestenson.hpp"

namespace fugu::spectral {

// Convolution over the group, C(s) = sum over x of f(x) g(s - x); the result replaces f, and g is
// overwritten. T: std::complex<float>, std::complex<double>, std::int64_t (exact, through residues: throws
// Error{usage} where |C| may reach 2^60).
template <class T>
FUGU_EXPORT void group_convolve(const CharacterGroup& group, std::span<T> f, std::span<T> g,
                                const GroupOptions& options = {});

// r(s) = sum over x of f(x + s) conj(f(x)), in place.
template <class T>
FUGU_EXPORT void group_autocorrelate(const CharacterGroup& group, std::span<T> f,
                                     const GroupOptions& options = {});

// A function f: C_p^n -> C_p, p prime, by its spectrum W(w) = sum over x of zeta^(f(x) - <w, x>).
struct PValuedSummary {
  bool balanced = false;   // each value occurs p^(n-1) times
  bool bent = false;       // |W(w)|^2 = p^n for every w (Kumar, Scholtz, Welch 1985)
  bool plateaued = false;  // |W(w)|^2 takes one value besides 0
  std::optional<std::uint64_t> largest_square = {};  // max |W(w)|^2 if all |W(w)|^2 are integers
};

// Throws Error{usage} unless the group is C_p^n with a prime p, and for values of p or more.
FUGU_EXPORT PValuedSummary summarize_p_valued(const CharacterGroup& group, std::span<const std::uint32_t> f,
                                              const GroupOptions& options = {});

}  // namespace fugu::spectral
