// What the power consumption of an S-box tells, where it follows the Hamming weight of the outputs.
#pragma once

#include "fugu/export.hpp"
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

}  // namespace fugu::spectral
