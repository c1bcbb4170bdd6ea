// The Walsh transform's vector code for what every CPU of the target has.
#define FUGU_SPECTRAL_ISA baseline
#define FUGU_SPECTRAL_TARGET
#define FUGU_SPECTRAL_VECTOR_BYTES 16
#define FUGU_SPECTRAL_RADIX_BITS 3
#include "fugu/spectral/detail/walsh_vector.hpp"
