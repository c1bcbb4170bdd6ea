// 16-bit floats: storage only. Arithmetic is done in float, and rounded once, to nearest, ties to even.
#pragma once

#include <bit>
#include <cstdint>

#include "fugu/core/hd.hpp"

namespace fugu::core {

struct Float16 {  // IEEE 754 binary16
  std::uint16_t bits;
};
struct Bfloat16 {  // the upper half of a float
  std::uint16_t bits;
};

FUGU_HD float float_of_bits(std::uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}
FUGU_HD std::uint32_t bits_of_float(float value) {
  return __builtin_bit_cast(std::uint32_t, value);
}

FUGU_HD float to_float(Bfloat16 value) {
  return float_of_bits(std::uint32_t{value.bits} << 16);
}

FUGU_HD float to_float(Float16 value) {
#if defined(__CUDA_ARCH__)
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(value.bits));
  return result;
#else
  const std::uint32_t sign = std::uint32_t{value.bits & 0x8000u} << 16;
  const std::uint32_t rest = value.bits & 0x7fffu;
  if (rest < 0x400) {  // subnormal: a multiple of 2^-24
    return float_of_bits(bits_of_float(static_cast<float>(rest) * 0x1p-24f) | sign);
  }
  const std::uint32_t rebias = rest < 0x7c00 ? 112u << 23 : 224u << 23;  // infinities and NaNs stay such
  return float_of_bits(((rest << 13) + rebias) | sign);
#endif
}

template <class Half>
FUGU_HD Half rounded(float value);

template <>
FUGU_HD Bfloat16 rounded(float value) {
  const std::uint32_t bits = bits_of_float(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return {static_cast<std::uint16_t>(bits >> 16 | 0x40)};  // a quiet NaN
  return {static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}

template <>
FUGU_HD Float16 rounded(float value) {
#if defined(__CUDA_ARCH__)
  Float16 result;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result.bits) : "f"(value));
  return result;
#else
  const std::uint32_t bits = bits_of_float(value);
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  const std::uint32_t rest = bits & 0x7fffffffu;
  std::uint32_t half = 0x7c00;                                      // infinity: from 65520 on
  if (rest > 0x7f800000u) half = 0x7e00;                            // NaN
  else if (rest < 0x38800000u)                                      // below 2^-14, subnormal: adding 1/2 rounds to
    half = bits_of_float(float_of_bits(rest) + 0.5f) - 0x3f000000u;  // a multiple of 2^-24
  else if (rest < 0x477ff000u)
    half = (rest - (112u << 23) + 0xfff + (rest >> 13 & 1)) >> 13;
  return {static_cast<std::uint16_t>(half | sign)};
#endif
}

}  // namespace fugu::core
