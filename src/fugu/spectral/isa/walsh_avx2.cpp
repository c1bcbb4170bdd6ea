// The Walsh transform's vector code for the avx2 instruction set.
#include <immintrin.h>

#define FUGU_SPECTRAL_ISA avx2
#define FUGU_SPECTRAL_TARGET [[gnu::target("avx2,fma")]]
#define FUGU_SPECTRAL_VECTOR_BYTES 32
#define FUGU_SPECTRAL_RADIX_BITS 3
#include "fugu/spectral/detail/half_vector.hpp"
#include "fugu/spectral/detail/narrow_vector.hpp"
