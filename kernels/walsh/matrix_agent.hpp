// Boolean spectra by matrix units: products with parts of a Hadamard matrix.
//
// A warp's matrix unit multiplies a 16 x k matrix A by a k x 8 matrix B. PTX specifies which elements the
// registers of each lane hold (m16n8k256 of bits, m16n8k16 of halves). With lane = 4 g + t, a lane holds
//   A       rows g and g + 8
//   B       column g
//   result  rows g and g + 8, columns 2 t and 2 t + 1
// A word of bits holds 32 of the 256 k; of halves, one word holds k = 2 t and 2 t + 1, another those larger
// by 8. If the columns of a result are the k of the next product, rows become columns: two consecutive
// products compute the stages of four index bits each, one of a register and three of lanes, without moving
// values.
//
// Unit: count(d, a, b0, b1) adds the numbers of common bits to d, multiply() overwrites d. The results exist
// once all lanes of the warp have made the call, so the step of an agent that multiplies does not use them.
//
// Values are Y = W / 2, as in kernels/walsh/columns_agent.hpp, and |Y| <= 2^(k - 1) after k stages. Halves
// are exact for 12 stages. After more they are exact if no value has reached 2048 in magnitude. No later
// stage reduces the largest magnitude, rounded or not, so it suffices to check the last values in halves.
// Floats are exact up to 2^24.
#pragma once

#include "kernels/walsh/columns_agent.hpp"
#include "kernels/walsh/halves.hpp"

namespace fugu::kernels {

// Returns the word in a register of its own. The assembler would copy equal words to consecutive registers
// before each product; it does not know that the topmost bit added here is 0.
FUGU_HD std::uint32_t own_word(std::uint32_t word) {
#if defined(__CUDA_ARCH__)
  std::uint32_t lower_lanes;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lower_lanes));
  return word + (lower_lanes >> 31);
#else
  return word;
#endif
}

// 64 bits of a truth table.
struct alignas(8) BitPair {
  std::uint32_t first, second;
};

// A product sums over the bits of a block of the truth table: the lowest 8 index bits.
inline constexpr int kBlockStages = 8;

// For x < 256.
FUGU_HD constexpr bool odd(unsigned x) {
  x ^= x >> 4;
  x ^= x >> 2;
  x ^= x >> 1;
  return (x & 1) != 0;
}
FUGU_HD std::uint32_t all_if_odd(unsigned x) {
  return odd(x) ? ~0u : 0u;
}

// Returns a word whose bit i is the parity of u & i, 0 <= u < 32.
FUGU_HD std::uint32_t parities(unsigned u) {
  return ((u & 1) != 0 ? 0xaaaaaaaau : 0) ^ ((u & 2) != 0 ? 0xccccccccu : 0) ^
         ((u & 4) != 0 ? 0xf0f0f0f0u : 0) ^ ((u & 8) != 0 ? 0xff00ff00u : 0) ^
         ((u & 16) != 0 ? 0xffff0000u : 0);
}

// The linear functions u.x of 8 variables, 16 group <= u < 16 group + 16, as the matrix A. Lane t holds the
// words 2 t and 2 t + 1 of 8, so that B has 64 neighbouring bits per lane.
struct LinearFunctions {
  std::uint32_t bits[4];
  std::uint32_t others[4];

  FUGU_HD LinearFunctions(unsigned group, unsigned thread) {
    const unsigned g = thread >> 2 & 7, t = thread & 3;
    const std::uint32_t low = parities(g + 16 * (group & 1));
    const unsigned high = group >> 1;
    for (unsigned i = 0; i < 4; ++i) {
      bits[i] = low ^ (i % 2 == 0 ? 0 : parities(8)) ^ all_if_odd(high & (2 * t + i / 2));
      others[i] = ~bits[i];
    }
  }

  // Adds the numbers of points at which the functions agree with those of the columns.
  template <class Unit>
  FUGU_HD void count_agreements(const Unit& unit, std::int32_t (&counts)[4], BitPair column) const {
    unit.count(counts, bits, column.first, column.second);
    unit.count(counts, others, ~column.first, ~column.second);
  }
};

// A part of a Hadamard matrix as the matrix A. The word of rows g + 8 and the larger k has the opposite signs
// of the other three, which are equal.
struct HadamardMatrix {
  std::uint32_t words[4];

  FUGU_HD HadamardMatrix(std::uint32_t positive, std::uint32_t negative)
      : words{positive, own_word(positive), own_word(words[1]), negative} {}
};

inline constexpr std::uint32_t kHalfOne = 0x3c00, kHalfSigns = 0x80008000u;

// Computes the stages of all four bits of k.
FUGU_HD HadamardMatrix hadamard_16(unsigned thread) {
  const unsigned g = thread >> 2 & 7, t = thread & 3;
  const std::uint32_t one = kHalfOne | kHalfOne << 16;
  const std::uint32_t signs =
      (all_if_odd(g & (2 * t)) & 0x8000u) | (all_if_odd(g & (2 * t + 1)) & 0x80000000u);
  return {one ^ signs, one ^ signs ^ kHalfSigns};
}

// Computes these stages except that of the lowest bit.
FUGU_HD HadamardMatrix hadamard_8_twice(unsigned thread) {
  const unsigned g = thread >> 2 & 7, t = thread & 3;
  const std::uint32_t one = kHalfOne ^ (all_if_odd(g >> 1 & t) & 0x8000u);
  const std::uint32_t negative = one ^ 0x8000u;
  return g % 2 == 0 ? HadamardMatrix{one, negative} : HadamardMatrix{one << 16, negative << 16};
}

// Returns count - bias, by way of the float 2^23 + count.
FUGU_HD float float_of_count(std::int32_t count, float bias) {
  return float_of_bits(0x4b000000u + static_cast<std::uint32_t>(count)) - (8388608.0f + bias);
}

// Returns the larger value, or NaN if one is NaN.
FUGU_HD float larger_or_none(float a, float b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float larger;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
  return larger;
#else
  return a > b || a != a ? a : b;
#endif
}

// 16 values before their last stage, which pairs x[j] and x[j + 8]. What is added to x[0] to x[7] is added to
// all results.
struct BeforeLastStage {
  static constexpr unsigned kPairs = 8;
  float x[2 * kPairs];

  FUGU_HD void shift(float by) {
    FUGU_UNROLL
    for (unsigned j = 0; j < kPairs; ++j) x[j] += by;
  }

  // Returns the largest magnitude of the results, max(|a + b|, |a - b|) = |a| + |b|, or NaN if a value is
  // NaN.
  FUGU_HD float largest() const {
    float most = 0;
    FUGU_UNROLL
    for (unsigned j = 0; j < kPairs; ++j)
      most = larger_or_none(most, __builtin_fabsf(x[j]) + __builtin_fabsf(x[j + kPairs]));
    return most;
  }

  FUGU_HD float first() const { return x[0] + x[kPairs]; }

  // Calls sink(y) for the results of the last stage.
  template <class Sink>
  FUGU_HD void give(const Sink& sink) const {
    FUGU_UNROLL
    for (unsigned j = 0; j < kPairs; ++j) {
      sink(x[j] + x[j + kPairs]);
      sink(x[j] - x[j + kPairs]);
    }
  }
};

}  // namespace fugu::kernels
