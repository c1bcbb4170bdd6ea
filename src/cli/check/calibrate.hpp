// fugu engines --calibrate: measures what `auto` decides by.
#pragma once

#include "fugu/choice.hpp"

namespace fugu::cli {

// Takes a few seconds on all processors. Without a GPU, and for CPU engines that cannot run here, the
// built-in figures stay.
choice::Calibration measure_calibration();

}  // namespace fugu::cli
