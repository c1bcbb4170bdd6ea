// What the power consumption of an S-box reveals, if it follows the Hamming weight or distance of the
// outputs.
#pragma once

#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral {

// m N^2 / sqrt(sum over a of (sum over j of W(a,2^j))^4) (Guilley, Hoogvorst and Pacalet 2004); infinite for
// a sum of 0.
FUGU_EXPORT double signal_to_noise_ratio(const SBox& box, const SBoxOptions& options = {});

// kappa(d) = (1/N) sum over x of (wt(S(x)) - wt(S(x + d)))^2 over d != 0 (Fei, Luo and Ding 2012).
struct ConfusionCoefficients {
  double mean = 0;
  double variance = 0;
  double minimum = 0;
};
FUGU_EXPORT ConfusionCoefficients confusion_coefficients(const SBox& box, const SBoxOptions& options = {});

inline constexpr int kMaxTransparencyOutputs = 16;

// max over beta of |m - 2 wt(beta)| - 1/(N^2 - N) sum over a != 0 of |sum over j of (-1)^beta_j r(a,2^j)|.
// Throws Error{usage} above kMaxTransparencyOutputs outputs.
FUGU_EXPORT double transparency_order(const SBox& box, const SBoxOptions& options = {});

// max over beta of m - 1/(N^2 - N) sum over a != 0 and j of |sum over i of (-1)^(beta_i + beta_j) C_ij(a)|,
// where C_ij(a) = sum over x of (-1)^(y_i(x) + y_j(x + a)) (Chakraborty et al. 2017). Throws as above.
FUGU_EXPORT double revised_transparency_order(const SBox& box, const SBoxOptions& options = {});

// The term of beta in the first, from N and the sum over a.
FUGU_EXPORT double transparency_of(std::size_t size, int outputs, std::uint32_t beta, std::uint64_t total);

}  // namespace fugu::spectral
