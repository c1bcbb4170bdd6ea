// The CPU features that this code uses, detected in this one place.
#pragma once

#include "fugu/export.hpp"

namespace fugu::core {

struct CpuFeatures {
  bool avx2 = false;
  bool fma = false;
  bool avx512f = false;
  bool avx512bw = false;
  bool avx512dq = false;
  bool avx512vl = false;
  bool avx512vbmi = false;
  bool fast_two_source_permutes = false;  // vpermi2b is one micro-operation (AMD), not three (Intel)
};

// A feature is false when the operating system does not save its registers across context switches.
FUGU_EXPORT CpuFeatures detect_cpu_features() noexcept;

}  // namespace fugu::core
