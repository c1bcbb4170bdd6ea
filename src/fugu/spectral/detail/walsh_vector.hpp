// The vector code of the Walsh transform, compiled once for each instruction set. Internal.
//
// The including file defines FUGU_SPECTRAL_ISA (a namespace), FUGU_SPECTRAL_TARGET (the attribute every
// function here carries: there are no -m flags), FUGU_SPECTRAL_VECTOR_BYTES and FUGU_SPECTRAL_RADIX_BITS (a
// radix pass keeps 2^bits vectors in registers). Vectors are the compilers' vector extension: + and - are the
// butterfly for all types, and integers are unsigned so that they wrap.
#pragma once

#include <bit>
#include <type_traits>
#include <utility>

#include "fugu/core/butterfly.hpp"
#include "fugu/spectral/detail/walsh_kernels.hpp"

#define FUGU_SPECTRAL_INLINE FUGU_SPECTRAL_TARGET [[gnu::always_inline]] inline

namespace fugu::spectral::detail::FUGU_SPECTRAL_ISA {
namespace {

inline constexpr int kRadixBits = FUGU_SPECTRAL_RADIX_BITS;

template <class T>
struct Lanes {
  using Element = core::Wrap<T>;
  using Vector [[gnu::vector_size(FUGU_SPECTRAL_VECTOR_BYTES)]] = Element;
  static constexpr int kCount = FUGU_SPECTRAL_VECTOR_BYTES / static_cast<int>(sizeof(T));
  static constexpr int kBits = std::countr_zero(static_cast<unsigned>(kCount));
};
template <class T>
using Vector = typename Lanes<T>::Vector;

template <class T>
FUGU_SPECTRAL_INLINE void load(Vector<T>& into, const T* from) {
  __builtin_memcpy(&into, from, sizeof(into));
}

template <class T>
FUGU_SPECTRAL_INLINE void store(T* to, const Vector<T>& from) {
  __builtin_memcpy(to, &from, sizeof(from));
}

template <class T, int bits>
FUGU_SPECTRAL_INLINE void across(Vector<T> (&x)[1 << bits]) {
  FUGU_UNROLL
  for (int stage = 0; stage < bits; ++stage) {
    FUGU_UNROLL
    for (int i = 0; i < (1 << bits) / 2; ++i) {
      const int low = i & ((1 << stage) - 1);
      const int a = ((i - low) << 1) | low;
      const int b = a + (1 << stage);
      const Vector<T> sum = x[a] + x[b];
      x[b] = x[a] - x[b];
      x[a] = sum;
    }
  }
}

// One stage within a vector: lane i pairs with lane i ^ distance. Floats use one fused operation where the
// instruction set has it: the product by 1 or -1 is exact, so the result is rounded as a sum is.
template <class T, int distance, int... i>
FUGU_SPECTRAL_INLINE void lane_stage(Vector<T>& x, std::integer_sequence<int, i...>) {
  const Vector<T> other = __builtin_shufflevector(x, x, (i ^ distance)...);
  if constexpr (std::is_floating_point_v<T>) {
    const Vector<T> signs = {((i & distance) != 0 ? T{-1} : T{1})...};
    x = other + x * signs;
  } else {
    const Vector<T> sum = other + x;
    const Vector<T> difference = other - x;
    x = __builtin_shufflevector(sum, difference, ((i & distance) != 0 ? Lanes<T>::kCount + i : i)...);
  }
}

// The stages from `stage` on within a vector.
template <class T, int stage>
FUGU_SPECTRAL_INLINE void within(Vector<T>& x) {
  if constexpr (stage < Lanes<T>::kBits) {
    lane_stage<T, 1 << stage>(x, std::make_integer_sequence<int, Lanes<T>::kCount>{});
    within<T, stage + 1>(x);
  }
}

// The stages from `first` on of 2^bits contiguous vectors.
template <class T, int first, int bits>
FUGU_SPECTRAL_INLINE void register_block(T* data) {
  Vector<T> x[1 << bits];
  FUGU_UNROLL
  for (int i = 0; i < (1 << bits); ++i) {
    load<T>(x[i], data + i * Lanes<T>::kCount);
    within<T, first>(x[i]);
  }
  across<T, bits>(x);
  FUGU_UNROLL
  for (int i = 0; i < (1 << bits); ++i) store<T>(data + i * Lanes<T>::kCount, x[i]);
}

template <class T, int first>
FUGU_SPECTRAL_TARGET void register_blocks(T* data, int bits, std::size_t count) {
  const std::size_t size = static_cast<std::size_t>(Lanes<T>::kCount) << bits;
  for (std::size_t i = 0; i < count; ++i, data += size) {
    switch (bits) {
      case 0:
        register_block<T, first, 0>(data);
        break;
      case 1:
        register_block<T, first, 1>(data);
        break;
      case 2:
        register_block<T, first, 2>(data);
        break;
      case 3:
        register_block<T, first, 3>(data);
        break;
      default:
        register_block<T, first, kRadixBits>(data);
        break;
    }
  }
}

// Loads 2^bits rows and computes `bits` stages over them.
template <class T, int bits>
FUGU_SPECTRAL_INLINE void transformed_rows(Vector<T> (&x)[1 << bits], const T* in, std::size_t stride) {
  FUGU_UNROLL
  for (std::size_t i = 0; i < (1u << bits); ++i) load<T>(x[i], in + i * stride);
  across<T, bits>(x);
}

template <class T, int bits>
FUGU_SPECTRAL_INLINE void store_rows(T* out, std::size_t stride, const Vector<T> (&x)[1 << bits]) {
  FUGU_UNROLL
  for (std::size_t i = 0; i < (1u << bits); ++i) store<T>(out + i * stride, x[i]);
}

// From this width on, the stores of a pass are aligned: unaligned, every vector of 64 bytes would straddle
// two lines. Less would not make up for the two more vectors per row.
inline constexpr std::size_t kAlignedBytes = 1024;

// `bits` stages over 2^bits rows, read at distance in_stride and written at distance out_stride; `width`
// values wide.
template <class T, int bits>
FUGU_SPECTRAL_INLINE void radix_pass(const T* in, std::size_t in_stride, T* out, std::size_t out_stride,
                                     std::size_t width) {
  constexpr std::size_t kCount = Lanes<T>::kCount;
  Vector<T> x[1 << bits];
  const std::size_t unaligned = reinterpret_cast<std::uintptr_t>(out) % sizeof(Vector<T>) / sizeof(T);
  if (unaligned == 0 || width * sizeof(T) < kAlignedBytes) {
    for (std::size_t c = 0; c < width; c += kCount) {
      transformed_rows<T, bits>(x, in + c, in_stride);
      store_rows<T, bits>(out + c, out_stride, x);
    }
    return;
  }
  // The first and the last vectors overlap aligned ones, so they are computed before the rows change.
  Vector<T> first[1 << bits], last[1 << bits];
  transformed_rows<T, bits>(first, in, in_stride);
  transformed_rows<T, bits>(last, in + width - kCount, in_stride);
  for (std::size_t c = kCount - unaligned; c + kCount <= width; c += kCount) {
    transformed_rows<T, bits>(x, in + c, in_stride);
    store_rows<T, bits>(out + c, out_stride, x);
  }
  store_rows<T, bits>(out, out_stride, first);
  store_rows<T, bits>(out + width - kCount, out_stride, last);
}

template <class T>
FUGU_SPECTRAL_TARGET void radix(const T* in, std::size_t in_stride, T* out, std::size_t out_stride,
                                std::size_t width, int bits) {
  switch (bits) {
    case 0:
      return radix_pass<T, 0>(in, in_stride, out, out_stride, width);
    case 1:
      return radix_pass<T, 1>(in, in_stride, out, out_stride, width);
    case 2:
      return radix_pass<T, 2>(in, in_stride, out, out_stride, width);
    case 3:
      return radix_pass<T, 3>(in, in_stride, out, out_stride, width);
    default:
      return radix_pass<T, 4>(in, in_stride, out, out_stride, width);
  }
}

template <class T>
FUGU_SPECTRAL_TARGET void radix_in_place(T* data, std::size_t stride, int stages, std::size_t width) {
  radix<T>(data, stride, data, stride, width, stages);
}

template <class T>
FUGU_SPECTRAL_TARGET void stages_in_cache(T* data, int log2_size, int first) {
  while (first < log2_size) {
    const int bits = first_share(log2_size - first, kRadixBits);
    const std::size_t stride = std::size_t{1} << first;
    for (std::size_t block = 0; block < std::size_t{1} << log2_size; block += stride << bits) {
      radix_in_place<T>(data + block, stride, bits, stride);
    }
    first += bits;
  }
}

// Rows shorter than a vector.
template <class T, int first>
FUGU_SPECTRAL_TARGET void tiny_rows(T* data, int log2_size, std::size_t rows) {
  const std::size_t size = rows << log2_size;
  for (int stage = first; stage < log2_size; ++stage) {
    const std::size_t stride = std::size_t{1} << stage;
    for (std::size_t block = 0; block < size; block += 2 * stride) {
      for (std::size_t i = block; i < block + stride; ++i) core::butterfly(data[i], data[i + stride]);
    }
  }
}

// 16 KiB, half of the smallest first-level cache of today's server cores.
template <class T>
inline constexpr int kFirstLevelBits = std::countr_zero(std::size_t{16384} / sizeof(T));

template <class T, int first>
FUGU_SPECTRAL_TARGET void first_level_row(T* data, int log2_size) {
  constexpr int kLargest = Lanes<T>::kBits + kRadixBits;
  const int bits = log2_size < kLargest ? log2_size : kLargest;
  register_blocks<T, first>(data, bits - Lanes<T>::kBits, std::size_t{1} << (log2_size - bits));
  stages_in_cache<T>(data, log2_size, bits);
}

// Above the first-level cache, eight rows at a time: the lines of sixteen would map to one set of its eight
// or twelve ways.
inline constexpr int kBlockedStages = 3;

// The stages from `first` on, depth-first: a block that fits a cache is finished there, whatever the cache's
// size.
template <class T, int first>
FUGU_SPECTRAL_TARGET void row(T* data, int log2_size) {
  if (log2_size <= kFirstLevelBits<T>) return first_level_row<T, first>(data, log2_size);
  const int stages = first_share(log2_size - kFirstLevelBits<T>, kBlockedStages);
  const int inner = log2_size - stages;
  const std::size_t stride = std::size_t{1} << inner;
  for (std::size_t i = 0; i < std::size_t{1} << stages; ++i) row<T, first>(data + i * stride, inner);
  radix_in_place<T>(data, stride, stages, stride);
}

template <class T, int first>
FUGU_SPECTRAL_TARGET void rows(T* data, int log2_size, std::size_t count) {
  if (log2_size < Lanes<T>::kBits) return tiny_rows<T, first>(data, log2_size, count);
  for (std::size_t i = 0; i < count; ++i) row<T, first>(data + (i << log2_size), log2_size);
}

// Stages taken at once, 2^stages rows: their vectors fit the registers, and rows that share a cache set do
// not evict each other while the vectors of a cache line are in use.
inline constexpr int kColumnStages = FUGU_SPECTRAL_VECTOR_BYTES == 64 ? 4 : 3;

FUGU_SPECTRAL_TARGET void narrow_columns(std::int16_t* tile, int stages, std::int16_t* out,
                                         std::size_t out_stride) {
  using T = std::int16_t;
  const int last = (stages - 1) / kRadixBits * kRadixBits;
  for (int first = 0; first < last; first += kRadixBits) {
    const std::size_t stride = kNarrowWidth << first;
    for (std::size_t block = 0; block < kNarrowWidth << stages; block += stride << kRadixBits)
      radix_in_place<T>(tile + block, stride, kRadixBits, stride);
  }
  for (std::size_t row = 0; row < std::size_t{1} << last; ++row) {
    radix<T>(tile + row * kNarrowWidth, kNarrowWidth << last, out + row * out_stride, out_stride << last,
             kNarrowWidth, stages - last);
  }
}

}  // namespace

template <class T>
WalshKernels<T> kernels() {
  return {&rows<T, 0>, kColumnStages, &radix_in_place<T>};
}

template WalshKernels<std::int32_t> kernels();
template WalshKernels<std::int64_t> kernels();
template WalshKernels<float> kernels();
template WalshKernels<double> kernels();

}  // namespace fugu::spectral::detail::FUGU_SPECTRAL_ISA
