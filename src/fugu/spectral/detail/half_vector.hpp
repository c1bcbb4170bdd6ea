// The conversions of 16-bit floats, compiled once for each instruction set as walsh_vector.hpp is. Internal.
#pragma once

#include "fugu/core/half.hpp"
#include "fugu/spectral/detail/walsh_vector.hpp"

namespace fugu::spectral::detail::FUGU_SPECTRAL_ISA {
namespace {

template <class Half>
inline constexpr std::uint16_t kHalfInfinity = std::is_same_v<Half, core::Float16> ? 0x7c00 : 0x7f80;

template <class Half>
FUGU_SPECTRAL_INLINE void note(std::uint16_t& largest, Half value) {
  const std::uint16_t magnitude = value.bits & 0x7fff;
  largest = magnitude > largest ? magnitude : largest;
}

template <class Half>
FUGU_SPECTRAL_TARGET bool widen(const Half* from, float* to, std::size_t count) {
  std::uint16_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    note(largest, from[i]);
    to[i] = core::to_float(from[i]);
  }
  return largest < kHalfInfinity<Half>;
}

template <class Half>
FUGU_SPECTRAL_TARGET bool round_scaled(const float* from, float factor, Half* to, std::size_t count) {
  std::uint16_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    to[i] = core::rounded<Half>(from[i] * factor);
    note(largest, to[i]);
  }
  return largest < kHalfInfinity<Half>;
}

}  // namespace

template <class Half>
HalfKernels<Half> half_kernels() {
  return {&widen<Half>, &round_scaled<Half>};
}

template HalfKernels<core::Float16> half_kernels();
template HalfKernels<core::Bfloat16> half_kernels();

}  // namespace fugu::spectral::detail::FUGU_SPECTRAL_ISA
