// The Walsh transform's vector code for the avx512 instruction set.
#include <immintrin.h>

#define FUGU_SPECTRAL_ISA avx512
#define FUGU_SPECTRAL_TARGET [[gnu::target("avx512f,avx512dq,avx512bw,avx512vl")]]
#define FUGU_SPECTRAL_VECTOR_BYTES 64
#define FUGU_SPECTRAL_RADIX_BITS 4
#include "fugu/spectral/detail/half_vector.hpp"
#include "fugu/spectral/detail/narrow_vector.hpp"
