// Rows of 16-bit floats as tiles of pairs: one 32-bit word of memory holds two neighbours, which are computed
// in float. A pair's own stage is done when it is loaded, so that a row of 2^n values is one of 2^(n - 1)
// pairs with n - 1 stages. Rounding happens once, when a result is stored.
#pragma once

#include <cstdint>
#include <type_traits>

#include "fugu/core/half.hpp"
#include "fugu/core/hd.hpp"

namespace fugu::kernels {

struct Pair {
  float low;
  float high;

  Pair() = default;
  FUGU_HD constexpr explicit Pair(int value) : Pair(static_cast<float>(value), static_cast<float>(value)) {}
  FUGU_HD constexpr Pair(float first, float second) : low(first), high(second) {}

  FUGU_HD friend Pair operator+(Pair a, Pair b) { return {a.low + b.low, a.high + b.high}; }
  FUGU_HD friend Pair operator-(Pair a, Pair b) { return {a.low - b.low, a.high - b.high}; }
};

template <class Half>
FUGU_HD Pair transformed_pair(std::uint32_t word) {
  const float low = core::to_float(Half{static_cast<std::uint16_t>(word)});
  const float high = core::to_float(Half{static_cast<std::uint16_t>(word >> 16)});
  return {low + high, low - high};
}

template <class Half>
FUGU_HD std::uint32_t word_of(Pair pair) {
#if __CUDA_ARCH__ >= 800
  std::uint32_t word;
  if constexpr (std::is_same_v<Half, core::Float16>) {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(pair.high), "f"(pair.low));
  } else {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(pair.high), "f"(pair.low));
  }
  return word;
#else
  return core::rounded<Half>(pair.low).bits | std::uint32_t{core::rounded<Half>(pair.high).bits} << 16;
#endif
}

template <class Half>
struct HalfSource {
  const std::uint32_t* words;
  FUGU_HD Pair operator()(std::uint64_t start, std::uint64_t beyond) const {
    return transformed_pair<Half>(words[start + beyond]);
  }
};

template <class Half>
struct HalfSink {
  std::uint32_t* words;
  float factor;
  FUGU_HD void operator()(std::uint64_t at, Pair pair) const {
    words[at] = word_of<Half>({pair.low * factor, pair.high * factor});
  }
};

// Floats, two at a time.
struct alignas(2 * sizeof(float)) TwoFloats {
  float low;
  float high;
};

struct FloatSource {
  const TwoFloats* twos;
  FUGU_HD Pair operator()(std::uint64_t start, std::uint64_t beyond) const {
    const TwoFloats two = twos[start + beyond];
    return {two.low + two.high, two.low - two.high};
  }
};

struct FloatSink {
  TwoFloats* twos;
  float factor;
  FUGU_HD void operator()(std::uint64_t at, Pair pair) const {
    twos[at] = {pair.low * factor, pair.high * factor};
  }
};

}  // namespace fugu::kernels
