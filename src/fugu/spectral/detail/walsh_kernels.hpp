// The interface between an instruction set and the Walsh transform: two cache-sized primitives per type, from
// which walsh.cpp builds every size. Internal.
#pragma once

#include <cstddef>

#include "fugu/core/half.hpp"
#include "fugu/spectral/options.hpp"

namespace fugu::spectral::detail {

// The first of as few passes as take `stages` stages, at most `most` each, as evenly as possible: 5 is 3 + 2,
// never 4 + 1.
constexpr int first_share(int stages, int most) {
  const int passes = (stages + most - 1) / most;
  return (stages + passes - 1) / passes;
}

// The least width of the rows of a column pass.
inline constexpr std::size_t kColumnBytes = 512;

template <class T>
struct WalshKernels {
  // All stages of `rows` contiguous rows of 2^log2_size values.
  void (*rows)(T* data, int log2_size, std::size_t rows);

  // `stages` stages, at most `column_stages`, in place over 2^stages rows of `width` values at distance
  // `stride`, in one pass over memory.
  int column_stages;
  void (*columns)(T* data, std::size_t stride, int stages, std::size_t width);
};

inline constexpr std::size_t kNarrowWidth = 64;
inline constexpr std::size_t kEqualCounts = 8;

struct ByteSummary {
  std::uint32_t sum;
  std::uint8_t largest;
};

// Kernels for 16-bit values, for the spectra of Boolean functions: |W| over k variables is at most 2^k.
// Unless stated otherwise, numbers of values are multiples of kNarrowWidth, and rows fit the L2 cache.
struct NarrowKernels {
  // `stages` stages, at least one, over a tile of 2^stages rows, kNarrowWidth wide, which is overwritten; the
  // results go to rows at distance `out_stride`.
  void (*columns)(std::int16_t* tile, int stages, std::int16_t* out, std::size_t out_stride);

  // All stages of a row of 2^log2_size values, of any length, or all but the first three.
  void (*row)(std::int16_t* row, int log2_size);
  void (*row_after_three)(std::int16_t* row, int log2_size);

  // max |x|, which is 2^15 for -2^15.
  std::uint16_t (*largest)(const std::int16_t* values, std::size_t count);

  ByteSummary (*summarize_bytes)(const std::uint8_t* values, std::size_t count);

  // counts[i]: the number of values, at most 2^16 of them, equal to least + i, i < kEqualCounts.
  void (*count_equal)(const std::uint8_t* values, std::size_t count, std::uint8_t least,
                      std::uint32_t* counts);

  // For rows of even values x, at most 15 rows: merges |x / 2| into the maximum of column c, and adds (x /
  // 2)^2 to the column's sum, number c / 4 of the quarter c % 4 of `sums`. Returns the largest of these |x /
  // 2|.
  std::uint16_t (*take_columns)(const std::int16_t* rows, std::size_t columns, std::size_t count,
                                std::int16_t* largest, std::uint64_t* sums);
};

// 16-bit floats to and from float. Both return whether all of the 16-bit values are finite.
template <class Half>
struct HalfKernels {
  bool (*widen)(const Half* from, float* to, std::size_t count);

  // Multiplies, and rounds once.
  bool (*round)(const float* from, float factor, Half* to, std::size_t count);
};

#define FUGU_SPECTRAL_ISA_HAS(isa)  \
  namespace isa {                   \
  template <class T>                \
  WalshKernels<T> kernels();        \
  NarrowKernels narrow_kernels();   \
  template <class Half>             \
  HalfKernels<Half> half_kernels(); \
  }
FUGU_SPECTRAL_ISA_HAS(baseline)
FUGU_SPECTRAL_ISA_HAS(avx2)
FUGU_SPECTRAL_ISA_HAS(avx512)
#undef FUGU_SPECTRAL_ISA_HAS

// Throws Error{usage} when this CPU does not support `isa`.
template <class T>
WalshKernels<T> walsh_kernels(Isa isa);
NarrowKernels narrow_kernels(Isa isa);
template <class Half>
HalfKernels<Half> half_kernels(Isa isa);

}  // namespace fugu::spectral::detail
