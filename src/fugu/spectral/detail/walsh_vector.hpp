// The vector code of the Walsh transform, compiled once for each instruction set. Internal.
//
// The including file defines FUGU_SPECTRAL_ISA (a namespace), FUGU_SPECTRAL_TARGET (the attribute every
// function here carries: there are no -m flags), FUGU_SPECTRAL_VECTOR_BYTES and FUGU_SPECTRAL_RADIX_BITS (a
// radix pass keeps 2^bits vectors in registers). Vectors are the compilers' vector extension: + and - are the
// butterfly for all types, and integers are unsigned so that they wrap.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

// One stage within a vector: lane i pairs with lane i ^ distance.
template <class T, int distance, int... i>
FUGU_SPECTRAL_INLINE void lane_stage(Vector<T>& x, std::integer_sequence<int, i...>) {
  const Vector<T> other = __builtin_shufflevector(x, x, (i ^ distance)...);
  const Vector<T> sum = other + x;
  const Vector<T> difference = other - x;
  x = __builtin_shufflevector(sum, difference, ((i & distance) != 0 ? Lanes<T>::kCount + i : i)...);
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

// A pass calls a check for each value that it reads. This one accepts all.
struct Unchecked {
  template <class V>
  FUGU_SPECTRAL_INLINE void see(const V&) {}
  FUGU_SPECTRAL_INLINE bool holds() const { return true; }
};

// Holds if all values are from -2^bits to 2^bits - 1.
template <class T>
class Within {
 public:
  FUGU_SPECTRAL_INLINE explicit Within(int bits) : bits_(bits), offset_(Vector<T>{} + (Element{1} << bits)) {}
  FUGU_SPECTRAL_INLINE void see(const Vector<T>& x) { seen_ |= x + offset_; }
  FUGU_SPECTRAL_INLINE bool holds() const {
    Element seen = 0;
    for (int i = 0; i < Lanes<T>::kCount; ++i) seen |= seen_[i];
    return seen >> bits_ <= 1;
  }

 private:
  using Element = typename Lanes<T>::Element;
  int bits_;
  Vector<T> offset_;
  Vector<T> seen_{};
};

// `bits` stages over 2^bits rows, read at distance in_stride and written at distance out_stride; `width`
// values wide.
template <class T, int bits, class Check>
FUGU_SPECTRAL_INLINE void radix_pass(const T* in, std::size_t in_stride, T* out, std::size_t out_stride,
                                     std::size_t width, Check& check) {
  for (std::size_t c = 0; c < width; c += Lanes<T>::kCount) {
    Vector<T> x[1 << bits];
    FUGU_UNROLL
    for (std::size_t i = 0; i < (1u << bits); ++i) {
      load<T>(x[i], in + i * in_stride + c);
      check.see(x[i]);
    }
    across<T, bits>(x);
    FUGU_UNROLL
    for (std::size_t i = 0; i < (1u << bits); ++i) store<T>(out + i * out_stride + c, x[i]);
  }
}

template <class T, class Check>
FUGU_SPECTRAL_INLINE void checked_radix(const T* in, std::size_t in_stride, T* out, std::size_t out_stride,
                                        std::size_t width, int bits, Check& check) {
  switch (bits) {
    case 0:
      radix_pass<T, 0>(in, in_stride, out, out_stride, width, check);
      break;
    case 1:
      radix_pass<T, 1>(in, in_stride, out, out_stride, width, check);
      break;
    case 2:
      radix_pass<T, 2>(in, in_stride, out, out_stride, width, check);
      break;
    case 3:
      radix_pass<T, 3>(in, in_stride, out, out_stride, width, check);
      break;
    default:
      radix_pass<T, 4>(in, in_stride, out, out_stride, width, check);
      break;
  }
}

template <class T>
FUGU_SPECTRAL_TARGET void radix(const T* in, std::size_t in_stride, T* out, std::size_t out_stride,
                                std::size_t width, int bits) {
  Unchecked none;
  checked_radix<T>(in, in_stride, out, out_stride, width, bits, none);
}

// Splits `stages` into passes of at most kRadixBits, as evenly as possible: 5 is 3 + 2, never 4 + 1.
FUGU_SPECTRAL_TARGET int next_radix(int stages) {
  const int passes = (stages + kRadixBits - 1) / kRadixBits;
  return (stages + passes - 1) / passes;
}

template <class T>
FUGU_SPECTRAL_TARGET void stages_in_cache(T* data, int log2_size, int first) {
  while (first < log2_size) {
    const int bits = next_radix(log2_size - first);
    const std::size_t stride = std::size_t{1} << first;
    for (std::size_t block = 0; block < std::size_t{1} << log2_size; block += stride << bits) {
      radix<T>(data + block, stride, data + block, stride, stride, bits);
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

// 32 KiB of today's 48 KiB L1 caches. The stages above it then take eight rows at a time instead of sixteen,
// whose lines would all map to one set of twelve ways.
template <class T>
inline constexpr int kFirstLevelBits = sizeof(T) == 8 ? 12 : 13;

template <class T, int first>
FUGU_SPECTRAL_TARGET void first_level_row(T* data, int log2_size) {
  constexpr int kLargest = Lanes<T>::kBits + kRadixBits;
  const int bits = log2_size < kLargest ? log2_size : kLargest;
  register_blocks<T, first>(data, bits - Lanes<T>::kBits, std::size_t{1} << (log2_size - bits));
  stages_in_cache<T>(data, log2_size, bits);
}

// The stages from `first` on.
template <class T, int first>
FUGU_SPECTRAL_TARGET void rows(T* data, int log2_size, std::size_t count) {
  if (log2_size < Lanes<T>::kBits) return tiny_rows<T, first>(data, log2_size, count);
  const int inner = log2_size < kFirstLevelBits<T> ? log2_size : kFirstLevelBits<T>;
  for (std::size_t row = 0; row < count; ++row, data += std::size_t{1} << log2_size) {
    for (std::size_t i = 0; i < std::size_t{1} << (log2_size - inner); ++i) {
      first_level_row<T, first>(data + (i << inner), inner);
    }
    stages_in_cache<T>(data, log2_size, inner);
  }
}

// More rows at once than a set of the first-level cache has ways would be fetched again for every vector of a
// line, and more than these do not fit the registers.
inline constexpr int kDirectStages = FUGU_SPECTRAL_VECTOR_BYTES == 64 ? 4 : 3;

// The stages of a column pass: the first go from the rows to the scratch, the last from there to the rows.
struct ColumnShares {
  FUGU_SPECTRAL_INLINE explicit ColumnShares(int stages) {
    const int passes = stages <= 2 * kDirectStages ? 2 : 3;
    first = stages / passes;
    middle = passes == 2 ? 0 : (stages - first) / 2;
    last = stages - first - middle;
  }
  int first, middle, last;
};

// Nothing is written to `out` if the check of the input fails.
template <class T, class Check>
FUGU_SPECTRAL_INLINE bool through_scratch(const T* in, std::size_t in_stride, const ColumnShares& shares,
                                          T* out, std::size_t out_stride, std::size_t width, T* scratch,
                                          Check check) {
  const std::size_t low = std::size_t{1} << shares.first, middle = std::size_t{1} << shares.middle,
                    high = std::size_t{1} << shares.last;
  for (std::size_t i = 0; i < high * middle; ++i) {
    checked_radix<T>(in + i * low * in_stride, in_stride, scratch + i * low * width, width, width,
                     shares.first, check);
  }
  if (!check.holds()) return false;
  for (std::size_t i = 0; shares.middle != 0 && i < high * low; ++i) {
    T* rows = scratch + (i / low * low * middle + i % low) * width;
    radix<T>(rows, width * low, rows, width * low, width, shares.middle);
  }
  for (std::size_t i = 0; i < middle * low; ++i) {
    radix<T>(scratch + i * width, width * middle * low, out + i * out_stride, out_stride * middle * low,
             width, shares.last);
  }
  return true;
}

template <class T>
FUGU_SPECTRAL_TARGET void columns(const T* in, std::size_t in_stride, int stages, T* out,
                                  std::size_t out_stride, std::size_t width, T* scratch) {
  if (stages <= kDirectStages) return radix<T>(in, in_stride, out, out_stride, width, stages);
  through_scratch<T>(in, in_stride, ColumnShares(stages), out, out_stride, width, scratch, Unchecked());
}

template <class T>
FUGU_SPECTRAL_TARGET bool bounded_columns(T* data, std::size_t stride, int stages, std::size_t width,
                                          T* scratch, int bits) {
  return through_scratch<T>(data, stride, ColumnShares(stages), data, stride, width, scratch,
                            Within<T>(bits));
}

FUGU_SPECTRAL_TARGET void narrow_columns(std::int16_t* tile, int stages, std::int16_t* out,
                                         std::size_t out_stride) {
  using T = std::int16_t;
  const int last = (stages - 1) / kRadixBits * kRadixBits;
  for (int first = 0; first < last; first += kRadixBits) {
    const std::size_t stride = kNarrowWidth << first;
    for (std::size_t block = 0; block < kNarrowWidth << stages; block += stride << kRadixBits)
      radix<T>(tile + block, stride, tile + block, stride, stride, kRadixBits);
  }
  for (std::size_t row = 0; row < std::size_t{1} << last; ++row) {
    radix<T>(tile + row * kNarrowWidth, kNarrowWidth << last, out + row * out_stride, out_stride << last,
             kNarrowWidth, stages - last);
  }
}

}  // namespace

template <class T>
WalshKernels<T> kernels() {
  if constexpr (std::is_integral_v<T>)
    return {&rows<T, 0>, &columns<T>, &bounded_columns<T>};
  else
    return {&rows<T, 0>, &columns<T>, nullptr};
}

template WalshKernels<std::int32_t> kernels();
template WalshKernels<std::int64_t> kernels();
template WalshKernels<float> kernels();
template WalshKernels<double> kernels();

}  // namespace fugu::spectral::detail::FUGU_SPECTRAL_ISA
