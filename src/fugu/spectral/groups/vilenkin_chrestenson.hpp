// The Vilenkin-Chrestenson transform: the Fourier transform over a finite Abelian group G = C_q1 x ... x C_qm
// of order N (Chrestenson 1955; Gajic, Stankovic, ISMVL 2013).
//   F(w) = sum over x of f(x) conj(chi_w(x)),   f(x) = 1/N sum over w of F(w) chi_w(x)
//
// chi_w(x) and the order of indices are those of characters.hpp (rows in Kronecker order); L is the group's
// modulus and zeta = exp(2 pi i / L). For C_2^n the transform is the Walsh transform in natural order.
//
// The data is consecutive rows of N values, transformed in place. Every function throws Error{usage} for data
// that is not whole rows, and for floats that overflow as those of walsh.hpp do.
#pragma once

#include <stop_token>

#include "fugu/spectral/groups/characters.hpp"

namespace fugu::threads {
class ThreadPool;
}

namespace fugu::spectral {

struct GroupOptions {
  unsigned threads = 0;                       // 0: all this process may run on
  fugu::threads::ThreadPool* pool = nullptr;  // used instead of new threads
  std::stop_token stop = {};                  // on a stop request the work ends early with Error{interrupted}
};

// T: float, double.
template <class T>
FUGU_EXPORT void vilenkin_chrestenson(const CharacterGroup& group, std::span<std::complex<T>> rows,
                                      const GroupOptions& options = {});

template <class T>
FUGU_EXPORT void inverse_vilenkin_chrestenson(const CharacterGroup& group, std::span<std::complex<T>> rows,
                                              const GroupOptions& options = {});

// Exact integers of the cyclotomic field: a value is L counts c_0 ... c_(L-1), which represent sum over k of
// c_k zeta^k. Each row's sum of |c| must be below 2^63.
FUGU_EXPORT void vilenkin_chrestenson_counts(const CharacterGroup& group, std::span<std::int64_t> counts,
                                             const GroupOptions& options = {});

// The integers f(x) as counts: c_0 = f(x), the others 0.
FUGU_EXPORT std::vector<std::int64_t> counts_of_integers(const CharacterGroup& group,
                                                         std::span<const std::int64_t> f);

// zeta^f(x) as counts. Throws Error{usage} for a value of L or more.
FUGU_EXPORT std::vector<std::int64_t> counts_of_exponents(const CharacterGroup& group,
                                                          std::span<const std::uint32_t> f);

// The unique coordinates c_k - c_(L-1) in the basis 1, zeta, ..., zeta^(L-2), for L prime. For L = 3 these
// are the two integers of Z[zeta_3], for L = 2 the integer itself. Throws Error{usage} if L is not prime.
FUGU_EXPORT std::vector<std::int64_t> reduced_counts(const CharacterGroup& group,
                                                     std::span<const std::int64_t> counts);

// Residues modulo a prime q = 1 mod L, in which zeta is an element of order L. q < 2^31.
class FUGU_EXPORT ResidueField {
 public:
  // Throws Error{usage} if `prime` is not such a prime.
  ResidueField(const CharacterGroup& group, std::uint32_t prime);

  // The largest such prime after skipping `skipped` of them.
  static ResidueField largest(const CharacterGroup& group, int skipped = 0);

  std::uint32_t prime() const noexcept { return prime_; }
  std::uint32_t root() const noexcept { return root_; }  // zeta

 private:
  std::uint32_t prime_;
  std::uint32_t root_;
};

// Values below field.prime().
FUGU_EXPORT void vilenkin_chrestenson(const CharacterGroup& group, const ResidueField& field,
                                      std::span<std::uint32_t> rows, const GroupOptions& options = {});
FUGU_EXPORT void inverse_vilenkin_chrestenson(const CharacterGroup& group, const ResidueField& field,
                                              std::span<std::uint32_t> rows,
                                              const GroupOptions& options = {});

}  // namespace fugu::spectral
