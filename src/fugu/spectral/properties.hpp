// Cryptographic properties of one Boolean function f of n variables.
//
// N = 2^n, W and r as in boolean.hpp. Sums and maxima follow the conventions of the S-boxes
// (fugu/spectral/sbox/sbox.hpp): a sum of squares includes a = 0, a maximum of r does not.
#pragma once

#include "fugu/spectral/boolean.hpp"

namespace fugu::spectral {

inline constexpr int kMaxPropertyVariables = 20;
static_assert(3 * kMaxPropertyVariables < 64, "the sum of 2^n values of r^2, each at most 2^(2n)");

struct BooleanProperties {
  std::uint64_t weight = 0;
  bool balanced = false;
  std::uint64_t linearity = 0;  // max |W|
  std::uint64_t nonlinearity = 0;
  int degree = -1;
  std::uint64_t terms = 0;                      // of the algebraic normal form
  int correlation_immunity = 0;                 // largest t with W(a) = 0 for 1 <= wt(a) <= t; constants: n
  int resiliency = -1;                          // the same if balanced, otherwise -1
  std::uint64_t absolute_indicator = 0;         // max |r(a)|, a != 0; 0 variables: 0
  std::uint64_t sum_of_squares = 0;             // of r(a), all a
  int propagation = 0;                          // largest l with r(a) = 0 for 1 <= wt(a) <= l
  std::uint64_t linear_structures = 0;          // a with |r(a)| = N, 0 among them
  std::uint64_t negative_structures = 0;        // a with r(a) = -N
  std::uint64_t zeros = 0;                      // a with W(a) = 0
  bool plateaued = false;                       // |W| takes one value besides 0
  bool bent = false;                            // n even, not 0, and |W| = 2^(n/2) everywhere
  std::map<std::int64_t, std::uint64_t> walsh;  // value -> how often
  std::map<std::int64_t, std::uint64_t> autocorrelation;  // value -> how often
};

// Throws Error{usage} above kMaxPropertyVariables variables.
FUGU_EXPORT BooleanProperties properties(const TruthTable& function, const WalshOptions& options = {});

// "1 + x0 x2": the format of TruthTable::from_polynomial; "0" for the zero function. Terms are in the order
// of their coefficients in the form. Of `options` only stop is used.
FUGU_EXPORT std::string polynomial_text(const TruthTable& form, const WalshOptions& options = {});

}  // namespace fugu::spectral
