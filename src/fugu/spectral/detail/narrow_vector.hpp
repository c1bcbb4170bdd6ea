// The vector code for 16-bit rows of S-box tables, compiled once for each instruction set. Internal.
//
// The including file defines the macros that walsh_vector.hpp lists.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "fugu/spectral/detail/walsh_kernels.hpp"
#include "fugu/spectral/detail/walsh_vector.hpp"

namespace fugu::spectral::detail::FUGU_SPECTRAL_ISA {
namespace {

template <class T>
struct SignedLanes {
  using Vector [[gnu::vector_size(FUGU_SPECTRAL_VECTOR_BYTES)]] = T;
};
using Signed = SignedLanes<std::int16_t>::Vector;

inline constexpr std::size_t kSignedLanes = sizeof(Signed) / sizeof(std::int16_t);

FUGU_SPECTRAL_INLINE Signed signed_at(const std::int16_t* from) {
  Signed x;
  __builtin_memcpy(&x, from, sizeof(x));
  return x;
}

template <int first>
FUGU_SPECTRAL_TARGET void narrow_row(std::int16_t* row, int log2_size) {
  rows<std::int16_t, first>(row, log2_size, 1);
}

FUGU_SPECTRAL_TARGET std::uint16_t largest_magnitude(const std::int16_t* values, std::size_t count) {
  constexpr std::size_t kVectors = kNarrowWidth / kSignedLanes;
  Signed low[kVectors] = {};
  Signed high[kVectors] = {};
  for (std::size_t at = 0; at < count; at += kNarrowWidth) {
    FUGU_UNROLL
    for (std::size_t i = 0; i < kVectors; ++i) {
      const Signed x = signed_at(values + at + i * kSignedLanes);
      low[i] = x < low[i] ? x : low[i];
      high[i] = x > high[i] ? x : high[i];
    }
  }
  int largest = 0;
  for (std::size_t i = 0; i < kVectors; ++i) {
    for (std::size_t lane = 0; lane < kSignedLanes; ++lane) {
      const int magnitude = high[i][lane] > -low[i][lane] ? high[i][lane] : -low[i][lane];
      largest = magnitude > largest ? magnitude : largest;
    }
  }
  return static_cast<std::uint16_t>(largest);
}

using Bytes = SignedLanes<std::uint8_t>::Vector;
using Shorts = SignedLanes<std::uint16_t>::Vector;

FUGU_SPECTRAL_INLINE Bytes bytes_at(const std::uint8_t* from) {
  Bytes x;
  __builtin_memcpy(&x, from, sizeof(x));
  return x;
}

// Sums of neighbouring bytes.
FUGU_SPECTRAL_INLINE Shorts pair_sums(const Bytes& x) {
  const auto pairs = reinterpret_cast<Shorts>(x);
  return (pairs & 0xff) + (pairs >> 8);
}

FUGU_SPECTRAL_INLINE std::uint32_t sum_of(const Shorts& x) {
  std::uint32_t sum = 0;
  for (std::size_t lane = 0; lane < kSignedLanes; ++lane) sum += x[lane];
  return sum;
}

// The number of bytes of value 255 that fit a lane of pair sums, and of comparisons that fit a byte.
inline constexpr std::size_t kBytesAtATime = 128 * sizeof(Bytes);

FUGU_SPECTRAL_TARGET ByteSummary summarize_bytes(const std::uint8_t* values, std::size_t count) {
  std::uint32_t sum = 0;
  Bytes high{};
  for (std::size_t first = 0; first < count; first += kBytesAtATime) {
    const std::size_t last = count - first < kBytesAtATime ? count : first + kBytesAtATime;
    Shorts sums{};
    for (std::size_t at = first; at < last; at += sizeof(Bytes)) {
      const Bytes x = bytes_at(values + at);
      sums += pair_sums(x);
      high = x > high ? x : high;
    }
    sum += sum_of(sums);
  }
  std::uint8_t largest = 0;
  for (std::size_t lane = 0; lane < sizeof(Bytes); ++lane)
    largest = high[lane] > largest ? high[lane] : largest;
  return {sum, largest};
}

FUGU_SPECTRAL_TARGET void count_equal(const std::uint8_t* values, std::size_t count, std::uint8_t least,
                                      std::uint32_t* counts) {
  Shorts sums[kEqualCounts] = {};
  for (std::size_t first = 0; first < count; first += kBytesAtATime) {
    const std::size_t last = count - first < kBytesAtATime ? count : first + kBytesAtATime;
    Bytes found[kEqualCounts] = {};
    for (std::size_t at = first; at < last; at += sizeof(Bytes)) {
      const Bytes x = bytes_at(values + at) - least;
      FUGU_UNROLL
      for (std::size_t i = 0; i < kEqualCounts; ++i)
        found[i] -= reinterpret_cast<Bytes>(x == static_cast<std::uint8_t>(i));
    }
    FUGU_UNROLL
    for (std::size_t i = 0; i < kEqualCounts; ++i) sums[i] += pair_sums(found[i]);
  }
  for (std::size_t i = 0; i < kEqualCounts; ++i) counts[i] = sum_of(sums[i]);
}

using Words = SignedLanes<std::uint32_t>::Vector;
using Longs = SignedLanes<std::uint64_t>::Vector;

// Squares of 16-bit values. The instruction sets' files include their intrinsics.
FUGU_SPECTRAL_INLINE Words squares(const Words& x) {
#if FUGU_SPECTRAL_VECTOR_BYTES == 64
  return reinterpret_cast<Words>(
      _mm512_madd_epi16(reinterpret_cast<__m512i>(x), reinterpret_cast<__m512i>(x)));
#elif FUGU_SPECTRAL_VECTOR_BYTES == 32
  return reinterpret_cast<Words>(
      _mm256_madd_epi16(reinterpret_cast<__m256i>(x), reinterpret_cast<__m256i>(x)));
#else
  return x * x;
#endif
}

// The half of each lane that comes first in memory, or the second one if not `first`.
template <bool first, class Wide>
FUGU_SPECTRAL_INLINE Wide halves(const Wide& x) {
  using Lane = std::remove_cvref_t<decltype(x[0])>;
  constexpr int kBits = 4 * sizeof(Lane);
  if constexpr (first == (std::endian::native == std::endian::little)) {
    return x & (std::numeric_limits<Lane>::max() >> kBits);
  } else {
    return x >> kBits;
  }
}

FUGU_SPECTRAL_INLINE void add_to(std::uint64_t* sums, const Longs& x) {
  Longs sum;
  __builtin_memcpy(&sum, sums, sizeof(sum));
  sum += x;
  __builtin_memcpy(sums, &sum, sizeof(sum));
}

FUGU_SPECTRAL_TARGET std::uint16_t take_columns(const std::int16_t* rows, std::size_t columns,
                                                std::size_t count, std::int16_t* largest,
                                                std::uint64_t* sums) {
  Signed most{};
  for (std::size_t c = 0; c < columns; c += kSignedLanes) {
    Signed high{};
    Words even{};
    Words odd{};
    for (std::size_t row = 0; row < count; ++row) {
      const Signed half = signed_at(rows + row * columns + c) >> 1;
      const Signed magnitude = half > -half ? half : -half;
      high = magnitude > high ? magnitude : high;
      const auto pairs = reinterpret_cast<Words>(magnitude);
      even += squares(halves<true>(pairs));
      odd += squares(halves<false>(pairs));
    }
    most = high > most ? high : most;
    const Signed before = signed_at(largest + c);
    high = before > high ? before : high;
    __builtin_memcpy(largest + c, &high, sizeof(high));
    const auto evens = reinterpret_cast<Longs>(even);
    const auto odds = reinterpret_cast<Longs>(odd);
    add_to(sums + c / 4, halves<true>(evens));
    add_to(sums + (columns + c) / 4, halves<true>(odds));
    add_to(sums + (2 * columns + c) / 4, halves<false>(evens));
    add_to(sums + (3 * columns + c) / 4, halves<false>(odds));
  }
  std::int16_t result = 0;
  for (std::size_t lane = 0; lane < kSignedLanes; ++lane) result = most[lane] > result ? most[lane] : result;
  return static_cast<std::uint16_t>(result);
}

}  // namespace

NarrowKernels narrow_kernels() {
  return {&narrow_columns,  &narrow_row<0>, &narrow_row<3>, &largest_magnitude,
          &summarize_bytes, &count_equal,   &take_columns};
}

}  // namespace fugu::spectral::detail::FUGU_SPECTRAL_ISA
