// Two 16-bit floating-point numbers ("halves") in a word, low and high, as instructions take them. Integers
// up to 2^11 are exact. A sum that is not is rounded to the nearest number, so that its magnitude stays at
// least 2^11.
#pragma once

#include <bit>
#include <cstdint>

#include "fugu/core/hd.hpp"

namespace fugu::kernels {

#if !defined(__CUDA_ARCH__)

inline float value_of_half(std::uint32_t half) {
  const std::uint32_t exponent = half >> 10 & 31, fraction = half & 1023;
  const auto number = static_cast<float>(fraction + (exponent != 0 ? 1024 : 0));
  const auto unit = std::bit_cast<float>(((exponent != 0 ? exponent : 1) + 127 - 25) << 23);
  return (half & 0x8000u) != 0 ? -number * unit : number * unit;
}

enum class Round : std::uint8_t { nearest, down };

inline std::uint32_t half_of_value(float value, Round round) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const int exponent = static_cast<int>(bits >> 23 & 255) - 127;
  const int unit = exponent < -14 ? -24 : exponent - 10;
  const int dropped = unit - exponent + 23;  // bits
  if (dropped > 24) return bits >> 16 & 0x8000u;
  const std::uint32_t number = (bits & 0x7fffffu) | 0x800000u, even = std::uint32_t{1} << (dropped - 1);
  std::uint32_t kept = number >> dropped;
  const std::uint32_t rest = number & (2 * even - 1);
  if (round == Round::nearest && (rest > even || (rest == even && kept % 2 != 0))) ++kept;
  const std::uint32_t half = static_cast<std::uint32_t>(unit + 24) * 1024 + kept;
  return (bits >> 16 & 0x8000u) | (half < 0x7c00u ? half : 0x7c00u);
}
inline std::uint32_t nearest_half(float value) {
  return half_of_value(value, Round::nearest);
}

#endif

FUGU_HD std::uint32_t add_halves(std::uint32_t a, std::uint32_t b) {
#if defined(__CUDA_ARCH__)
  std::uint32_t sum;
  asm("add.rn.f16x2 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
  return sum;
#else
  return nearest_half(value_of_half(a & 0xffffu) + value_of_half(b & 0xffffu)) |
         nearest_half(value_of_half(a >> 16) + value_of_half(b >> 16)) << 16;
#endif
}

FUGU_HD std::uint32_t subtract_halves(std::uint32_t a, std::uint32_t b) {
#if defined(__CUDA_ARCH__)
  std::uint32_t difference;
  asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(difference) : "r"(a), "r"(b));
  return difference;
#else
  return add_halves(a, b ^ 0x80008000u);
#endif
}

// Returns the larger of a, which is not negative, and |b|, for both halves.
FUGU_HD std::uint32_t larger_magnitudes(std::uint32_t a, std::uint32_t b) {
#if defined(__CUDA_ARCH__)
  std::uint32_t larger;
  asm("{.reg .b32 b; abs.f16x2 b, %2; max.f16x2 %0, %1, b;}" : "=r"(larger) : "r"(a), "r"(b));
  return larger;
#else
  const std::uint32_t low = b & 0x7fffu, high = b >> 16 & 0x7fffu;
  return ((a & 0xffffu) > low ? a & 0xffffu : low) | (a >> 16 > high ? a >> 16 : high) << 16;
#endif
}

// Rounds to the nearest halves.
FUGU_HD std::uint32_t halves_of(float low, float high) {
#if defined(__CUDA_ARCH__)
  std::uint32_t halves;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(halves) : "f"(high), "f"(low));
  return halves;
#else
  return nearest_half(low) | nearest_half(high) << 16;
#endif
}

// Rounds towards zero.
FUGU_HD std::uint32_t truncated_halves(float low, float high) {
#if defined(__CUDA_ARCH__)
  std::uint32_t halves;
  asm("cvt.rz.f16x2.f32 %0, %1, %2;" : "=r"(halves) : "f"(high), "f"(low));
  return halves;
#else
  return half_of_value(low, Round::down) | half_of_value(high, Round::down) << 16;
#endif
}

// Returns twice the value of a half, given in the low bits, that is not negative.
FUGU_HD std::uint32_t doubled_half(std::uint32_t half) {
  const int exponent = static_cast<int>(half >> 10 & 31);
  const std::uint32_t number = (half & 1023) + (exponent != 0 ? 1024 : 0);
  const int shift = (exponent != 0 ? exponent : 1) - 24;
  return shift >= 0 ? number << shift : shift > -32 ? number >> -shift : 0;
}

}  // namespace fugu::kernels
