// 16-bit floats: storage only. Arithmetic is done in float, and rounded once, to nearest, ties to even. The
// host's conversions have no branches, so that loops over them become vector code.
#pragma once

#include <cstdint>

#include "fugu/core/hd.hpp"
#include "fugu/export.hpp"

namespace fugu::core {

struct FUGU_EXPORT Float16 {  // IEEE 754 binary16
  std::uint16_t bits;
};
struct FUGU_EXPORT Bfloat16 {  // the upper half of a float
  std::uint16_t bits;
};

FUGU_HD float float_of_bits(std::uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}
FUGU_HD std::uint32_t bits_of_float(float value) {
  return __builtin_bit_cast(std::uint32_t, value);
}

// Without a branch, which compilers make of ?: where an operand is a float's.
FUGU_HD constexpr std::uint32_t either(bool condition, std::uint32_t then, std::uint32_t otherwise) {
  const std::uint32_t mask = 0 - static_cast<std::uint32_t>(condition);
  return (then & mask) | (otherwise & ~mask);
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
  const std::uint32_t rebias = rest < 0x7c00 ? 112u << 23 : 224u << 23;  // infinities and NaNs stay such
  const std::uint32_t normal = (rest << 13) + rebias;
  const std::uint32_t subnormal =
      bits_of_float(static_cast<float>(static_cast<std::int32_t>(rest)) * 0x1p-24f);
  return float_of_bits(either(rest < 0x400, subnormal, normal) | sign);
#endif
}

template <class Half>
FUGU_HD Half rounded(float value);

template <>
FUGU_HD Bfloat16 rounded(float value) {
  const std::uint32_t bits = bits_of_float(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return {static_cast<std::uint16_t>(bits >> 16 | 0x40)};  // a quiet NaN
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
  // Below 2^-14, subnormal: adding 1/2 rounds to a multiple of 2^-24.
  const std::uint32_t subnormal = bits_of_float(float_of_bits(rest) + 0.5f) - 0x3f000000u;
  const std::uint32_t normal = (rest - (112u << 23) + 0xfff + (rest >> 13 & 1)) >> 13;
  const std::uint32_t finite = either(rest < 0x38800000u, subnormal, normal);
  const std::uint32_t beyond = either(rest > 0x7f800000u, 0x7e00, 0x7c00);  // NaN; infinity from 65520 on
  const std::uint32_t half = either(rest < 0x477ff000u, finite, beyond);
  return {static_cast<std::uint16_t>(half | sign)};
#endif
}

}  // namespace fugu::core
