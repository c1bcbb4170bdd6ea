// The interface of an instruction set to the Walsh transform: two cache-sized primitives per type, out of
// which walsh.cpp builds every size. Internal.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fugu/spectral/walsh.hpp"

namespace fugu::spectral::detail {

// A column pass handles at most this many stages, and works on tiles of 2^stages rows by kTileBytes.
inline constexpr int kMaxColumnStages = 8;
inline constexpr std::size_t kTileBytes = 512;

template <class T>
struct WalshKernels {
  // All stages of `rows` contiguous rows of 2^log2_size values: for rows that fit the second-level cache.
  void (*rows)(T* data, int log2_size, std::size_t rows);

  // `stages` stages over one tile of 2^stages rows, kTileBytes wide, read at row distance `in_stride` and
  // written at `out_stride` (in place when both are the same). `scratch` holds a tile.
  void (*columns)(const T* in, std::size_t in_stride, int stages, T* out, std::size_t out_stride, T* scratch);

  // The same in place if every value is from -2^bits to 2^bits - 1; otherwise false, and the tile is as it
  // was. Of integers only.
  bool (*bounded_columns)(T* tile, std::size_t stride, int stages, T* scratch, int bits);
};

inline constexpr std::size_t kNarrowWidth = 64;

// Of 16-bit values, for the spectra of Boolean functions: W over k variables is at most 2^k.
struct NarrowKernels {
  // `stages` stages, one or more, over a tile of 2^stages rows, kNarrowWidth wide, which is used up; the
  // results go to rows at distance `out_stride`.
  void (*columns)(std::int16_t* tile, int stages, std::int16_t* out, std::size_t out_stride);

  // All stages of a row of 2^log2_size values that fits the second-level cache, or all but the first three.
  void (*row)(std::int16_t* row, int log2_size);
  void (*row_after_three)(std::int16_t* row, int log2_size);

  // max |x|, 2^15 for -2^15. `count` is a multiple of 64.
  std::uint16_t (*largest)(const std::int16_t* values, std::size_t count);
};

namespace baseline {
template <class T>
WalshKernels<T> kernels();
NarrowKernels narrow_kernels();
}  // namespace baseline
namespace avx2 {
template <class T>
WalshKernels<T> kernels();
NarrowKernels narrow_kernels();
}  // namespace avx2
namespace avx512 {
template <class T>
WalshKernels<T> kernels();
NarrowKernels narrow_kernels();
}  // namespace avx512

// Throws Error{usage} when this CPU does not run `isa`.
template <class T>
WalshKernels<T> walsh_kernels(Isa isa);
NarrowKernels narrow_kernels(Isa isa);

}  // namespace fugu::spectral::detail
