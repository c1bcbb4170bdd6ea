// CPU features that the operating system supports, as far as an engine here asks.
#pragma once

#include "fugu/export.hpp"

namespace fugu::engine {

struct CpuFeatures {
  bool avx512f = false;
  bool avx512bw = false;
  bool avx512vl = false;
  bool avx512vbmi = false;
  bool fast_two_source_permutes = false;  // vpermi2b is one step (AMD), not three (Intel)
};

// False for features the operating system does not save across context switches.
FUGU_EXPORT CpuFeatures detect_cpu_features();

}  // namespace fugu::engine
