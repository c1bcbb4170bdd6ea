// The operations of fugu spectral, one or a few to a source file.
#pragma once

#include "cli/lab/work.hpp"

namespace fugu::cli {

void run_walsh(const SpectralRequest& request);
void run_inverse(const SpectralRequest& request);
void run_convolve(const SpectralRequest& request);
void run_autocorrelate(const SpectralRequest& request);
void run_nonlinearity(const SpectralRequest& request);
void run_characters(const SpectralRequest& request);

// One line per function: of a truth table, or of each row of an .npy array.
void run_properties(const SpectralRequest& request);

// Between truth table and algebraic normal form: a polynomial becomes a table, a table a polynomial, or with
// --to bits or hex the table of coefficients.
void run_anf(const SpectralRequest& request);

// Over the groups of --group: C_q1 x ... x C_qm instead of C_2^n.
void run_vilenkin_chrestenson(const SpectralRequest& request);
void run_group_convolve(const SpectralRequest& request);
void run_group_autocorrelate(const SpectralRequest& request);

// Functions on C_p^n with values 0 to p - 1: one line per function.
void run_group_properties(const SpectralRequest& request);

}  // namespace fugu::cli
