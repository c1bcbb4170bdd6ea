// Boolean functions: truth tables, algebraic normal form, Walsh spectrum, nonlinearity, autocorrelation. All
// exact.
//
// f has n variables; bit i of an index x is the variable x_i (x_0 least significant). Its Walsh spectrum is
// that of (-1)^f(x), the polarity truth table:
//   W(a) = sum over x of (-1)^{f(x) + a.x},  |W(a)| <= 2^n,  nonlinearity = 2^(n-1) - max |W| / 2
//   r(s) = sum over x of (-1)^{f(x) + f(x ^ s)}, the autocorrelation, r(0) = 2^n
#pragma once

#include <map>

#include "fugu/spectral/packed_bits.hpp"
#include "fugu/spectral/truth_table.hpp"
#include "fugu/spectral/walsh.hpp"

namespace fugu::spectral {

// The Moebius transform between truth table and algebraic normal form, its own inverse. Bit m of the form is
// the coefficient of the product of the variables x_i with bit i of m set.
FUGU_EXPORT TruthTable moebius(TruthTable table, const WalshOptions& options = {});

// The degree of the algebraic normal form: -1 for the zero function, 0 for the constant 1. Works in
// `function`: move it here if it is no longer needed.
FUGU_EXPORT int algebraic_degree(TruthTable function, const WalshOptions& options = {});

// W(a) for every a, in options.ordering. `out` holds as many values as the function. Throws Error{usage}
// otherwise.
FUGU_EXPORT std::vector<std::int32_t> walsh_spectrum(const TruthTable& function,
                                                     const WalshOptions& options = {});
FUGU_EXPORT void walsh_spectrum(const TruthTable& function, std::span<std::int32_t> out,
                                const WalshOptions& options = {});

struct SpectrumSummary {
  std::uint64_t max_abs = 0;                        // max |W|
  std::uint64_t nonlinearity = 0;                   // 0 variables: 0
  std::map<std::int64_t, std::uint64_t> histogram;  // value of W -> how often
};

// Nonlinearity and histogram; the last pass of the transform counts its results instead of writing them.
FUGU_EXPORT SpectrumSummary summarize_spectrum(const TruthTable& function, const WalshOptions& options = {});

// r(s) for every s. Ignores options.ordering: s is an index of the function.
FUGU_EXPORT std::vector<std::int64_t> autocorrelation(const TruthTable& function,
                                                      const WalshOptions& options = {});

}  // namespace fugu::spectral
