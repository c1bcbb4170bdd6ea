// CPU features that the operating system supports, as far as the code here asks: the one place that detects
// them.
#pragma once

#include "fugu/export.hpp"

namespace fugu::core {

struct CpuFeatures {
  bool avx2 = false;
  bool avx512f = false;
  bool avx512bw = false;
  bool avx512dq = false;
  bool avx512vl = false;
  bool avx512vbmi = false;
  bool fast_two_source_permutes = false;  // vpermi2b is one step (AMD), not three (Intel)
};

// False for features the operating system does not save across context switches.
FUGU_EXPORT CpuFeatures detect_cpu_features() noexcept;

}  // namespace fugu::core
