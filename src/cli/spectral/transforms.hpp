// fugu spectral walsh, inverse, convolve and autocorrelate.
#pragma once

#include "cli/spectral/work.hpp"

namespace fugu::cli {

void run_walsh(const SpectralRequest& request);
void run_inverse(const SpectralRequest& request);
void run_convolve(const SpectralRequest& request);
void run_autocorrelate(const SpectralRequest& request);

}  // namespace fugu::cli
