#include "fugu/core/cpu_features.hpp"

namespace fugu::core {

CpuFeatures detect_cpu_features() noexcept {
  CpuFeatures features;
#if defined(__x86_64__)
  __builtin_cpu_init();
  features.avx2 = __builtin_cpu_supports("avx2") != 0;
  features.fma = __builtin_cpu_supports("fma") != 0;
  features.avx512f = __builtin_cpu_supports("avx512f") != 0;
  features.avx512bw = __builtin_cpu_supports("avx512bw") != 0;
  features.avx512dq = __builtin_cpu_supports("avx512dq") != 0;
  features.avx512vl = __builtin_cpu_supports("avx512vl") != 0;
  features.avx512vbmi = __builtin_cpu_supports("avx512vbmi") != 0;
  features.fast_two_source_permutes = features.avx512vbmi && __builtin_cpu_is("amd") != 0;
#endif
  return features;
}

}  // namespace fugu::core
