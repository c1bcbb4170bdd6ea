// The Walsh transform's vector code for the target's baseline: SSE2 on x86-64, NEON on aarch64.
#define FUGU_SPECTRAL_ISA baseline
#define FUGU_SPECTRAL_TARGET
#define FUGU_SPECTRAL_VECTOR_BYTES 16
#if defined(__aarch64__)  // has 32 vector registers
#define FUGU_SPECTRAL_RADIX_BITS 4
#else
#define FUGU_SPECTRAL_RADIX_BITS 3
#endif
#include "fugu/spectral/detail/half_vector.hpp"
#include "fugu/spectral/detail/narrow_vector.hpp"
