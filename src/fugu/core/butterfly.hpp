// The Walsh butterfly and the index maps of the Walsh spectrum's orderings: the only copy in the project.
//
// Index bits: bit 0 is the least significant bit of an index; stage s of the transform pairs indices that
// differ in bit s. Integers wrap modulo 2^bits, so a sum that fits is right even if its partial sums
// overflowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "fugu/core/hd.hpp"

namespace fugu::core {

// The type to add in: unsigned for integers (signed overflow is undefined), T itself for floats.
template <class T>
struct WrapOf {
  using Type = T;
};
template <>
struct WrapOf<std::int16_t> {
  using Type = std::uint16_t;
};
template <>
struct WrapOf<std::int32_t> {
  using Type = std::uint32_t;
};
template <>
struct WrapOf<std::int64_t> {
  using Type = std::uint64_t;
};
template <class T>
using Wrap = typename WrapOf<T>::Type;

// (a, b) <- (a + b, a - b)
template <class T>
FUGU_HD void butterfly(T& a, T& b) {
  const Wrap<T> x = static_cast<Wrap<T>>(a);
  const Wrap<T> y = static_cast<Wrap<T>>(b);
  a = static_cast<T>(static_cast<Wrap<T>>(x + y));
  b = static_cast<T>(static_cast<Wrap<T>>(x - y));
}

// Stages [from, to) of the transform of 2^bits values in registers. Every index is a constant after
// unrolling, which keeps the array out of local memory on a GPU.
template <int bits, class T>
FUGU_HD void butterflies(T (&x)[std::size_t{1} << bits], int from, int to) {
  FUGU_UNROLL
  for (int stage = 0; stage < bits; ++stage) {
    if (stage < from || stage >= to) continue;
    FUGU_UNROLL
    for (int i = 0; i < (1 << bits) / 2; ++i) {
      const int low = i & ((1 << stage) - 1);
      const int first = ((i - low) << 1) | low;
      butterfly(x[first], x[first + (1 << stage)]);
    }
  }
}

// The bits of an integer that a division by 2^shift drops: all of them when the type has at most `shift`
// bits, so that only 0 is divisible.
template <class T>
FUGU_HD Wrap<T> fraction_mask(int shift) {
  constexpr int kBits = 8 * static_cast<int>(sizeof(T));
  return shift < kBits ? static_cast<Wrap<T>>((Wrap<T>{1} << shift) - 1) : static_cast<Wrap<T>>(~Wrap<T>{0});
}

// Clamps a shift >= 0 to the largest that is defined for T, which leaves only the sign.
template <class T>
FUGU_HD int usable_shift(int shift) {
  constexpr int kBits = 8 * static_cast<int>(sizeof(T));
  return shift < kBits ? shift : kBits - 1;
}

// Divides an integer by 2^shift, for any shift >= 0.
template <class T>
FUGU_HD T shifted_right(T value, int shift) {
  return static_cast<T>(value >> usable_shift<T>(shift));
}

// Reverses the `bits` low bits of x. 0 <= bits <= 64.
FUGU_HD std::uint64_t reverse_bits(std::uint64_t x, int bits) {
  x = ((x >> 1) & 0x5555555555555555u) | ((x & 0x5555555555555555u) << 1);
  x = ((x >> 2) & 0x3333333333333333u) | ((x & 0x3333333333333333u) << 2);
  x = ((x >> 4) & 0x0f0f0f0f0f0f0f0fu) | ((x & 0x0f0f0f0f0f0f0f0fu) << 4);
  x = ((x >> 8) & 0x00ff00ff00ff00ffu) | ((x & 0x00ff00ff00ff00ffu) << 8);
  x = ((x >> 16) & 0x0000ffff0000ffffu) | ((x & 0x0000ffff0000ffffu) << 16);
  x = (x >> 32) | (x << 32);
  return bits == 0 ? 0 : x >> (64 - bits);
}

FUGU_HD constexpr std::uint64_t gray_code(std::uint64_t x) {
  return x ^ (x >> 1);
}

FUGU_HD constexpr std::uint64_t gray_inverse(std::uint64_t x) {
  for (int shift = 1; shift < 64; shift *= 2) x ^= x >> shift;
  return x;
}

// |x| of an integer, without overflow.
template <class T>
constexpr std::make_unsigned_t<T> magnitude(T value) {
  const auto bits = static_cast<std::make_unsigned_t<T>>(value);
  return value < 0 ? static_cast<std::make_unsigned_t<T>>(0 - bits) : bits;
}

}  // namespace fugu::core
