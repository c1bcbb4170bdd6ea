// Transforms over the groups of --group: C_q1 x ... x C_qm instead of C_2^n.
#pragma once

#include "cli/spectral/work.hpp"

namespace fugu::cli {

void run_vilenkin_chrestenson(const SpectralRequest& request);
void run_group_convolve(const SpectralRequest& request);
void run_group_autocorrelate(const SpectralRequest& request);

// Functions on C_p^n with values 0 to p - 1: one line per function.
void run_group_properties(const SpectralRequest& request);

}  // namespace fugu::cli
