// FUGU_HD marks what both the host compiler and nvcc compile: no allocation, no exceptions, no I/O.
#pragma once

#if defined(__CUDACC__)
#define FUGU_HD __host__ __device__ __forceinline__
#else
#define FUGU_HD [[gnu::always_inline]] inline
#endif
