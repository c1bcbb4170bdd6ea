// What `--engine auto` decides by on this machine: kept in the user's cache directory by fugu engines
// --calibrate.
#pragma once

#include <string>

#include "fugu/choice.hpp"

namespace fugu::cli {

// This machine's, or the built-in one.
const choice::Calibration& calibration();

// Whether auto takes a GPU. Does not look for one: work on the CPU would wait for that.
bool gpu_is_faster(const choice::Amount& amount);

std::string calibration_text(const choice::Calibration& calibration);

// For later runs. Throws Error{io}.
void save_calibration(const choice::Calibration& calibration);

}  // namespace fugu::cli
