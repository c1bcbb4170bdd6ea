#include "fugu/spectral/options.hpp"

#include <bit>
#include <string>

#include "fugu/core/cpu_features.hpp"
#include "fugu/error.hpp"

namespace fugu::spectral {

Isa best_isa() {
  // Kept, since asking takes a tenth of the time of 2^10 values.
  static const Isa best = [] {
    const core::CpuFeatures cpu = core::detect_cpu_features();
    if (cpu.avx512f && cpu.avx512dq && cpu.avx512bw && cpu.avx512vl) return Isa::avx512;
    return cpu.avx2 && cpu.fma ? Isa::avx2 : Isa::baseline;
  }();
  return best;
}

int log2_exact(std::uint64_t size) {
  if (!std::has_single_bit(size)) {
    throw Error(Errc::usage, "the length is " + std::to_string(size) + ", not a power of two");
  }
  return std::countr_zero(size);
}

}  // namespace fugu::spectral
