// FUGU_HD marks functions that both the host compiler and nvcc compile: no allocation, no exceptions, no I/O.
#pragma once

#if defined(__CUDACC__)
#define FUGU_HD __host__ __device__ __forceinline__
#else
#define FUGU_HD [[gnu::always_inline]] inline
#endif

// FUGU_UNROLL before a loop of fixed length keeps the arrays it indexes in registers.
#if defined(__CUDACC__) || defined(__clang__)
#define FUGU_UNROLL _Pragma("unroll")
#else
#define FUGU_UNROLL _Pragma("GCC unroll 64")
#endif
