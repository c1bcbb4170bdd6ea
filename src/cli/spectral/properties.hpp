// fugu spectral properties and fugu spectral anf.
#pragma once

#include "cli/spectral/work.hpp"

namespace fugu::cli {

// One line per function: of a truth table, or of each row of an .npy array.
void run_properties(const SpectralRequest& request);

// Between truth table and algebraic normal form: a polynomial becomes a table, a table a polynomial, or with
// --to bits or hex the table of coefficients.
void run_anf(const SpectralRequest& request);

}  // namespace fugu::cli
