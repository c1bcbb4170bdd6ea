// The Pair of profile_agent.hpp: two 16-bit floating-point numbers, which hold integers of at most 2^11 in
// magnitude exactly.
#pragma once

#include <cuda_fp16.h>

namespace fugu::kernels {

struct HalfPair {
  __half2 value;

  HalfPair() = default;
  __device__ explicit HalfPair(__half2 pair) : value(pair) {}
  __device__ HalfPair(int low, int high) : value(__floats2half2_rn(low, high)) {}

  __device__ HalfPair operator+(HalfPair other) const { return HalfPair(__hadd2(value, other.value)); }
  __device__ HalfPair operator-(HalfPair other) const { return HalfPair(__hsub2(value, other.value)); }
  __device__ HalfPair magnitudes_with(HalfPair other) const {
    return HalfPair(__hadd2(__habs2(value), __habs2(other.value)));
  }
  __device__ HalfPair larger(HalfPair other) const { return HalfPair(__hmax2(value, other.value)); }
  __device__ int largest() const { return __half2int_rn(__hmax(__low2half(value), __high2half(value))); }
};

}  // namespace fugu::kernels
