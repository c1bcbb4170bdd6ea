// Packed functions: the numbers that eight bits become at a time, and the Moebius transform. Internal.
#pragma once

#include <array>
#include <cstring>

#include "fugu/spectral/detail/parallel.hpp"
#include "fugu/spectral/packed_bits.hpp"

namespace fugu::spectral::detail {

// The values of the eight bits of a byte, the lowest first.
template <class T>
using EightValues = std::array<std::array<T, 8>, 256>;

template <class T>
constexpr EightValues<T> eight_values(T zero, T one) {
  EightValues<T> table{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    for (unsigned bit = 0; bit < 8; ++bit) table[byte][bit] = (byte >> bit & 1) != 0 ? one : zero;
  }
  return table;
}

template <class T, TableMeans means>
constexpr EightValues<T> kEightValues = means == TableMeans::bits ? eight_values<T>(0, 1)
                                                                  : eight_values<T>(1, static_cast<T>(-1));

template <TableMeans means, class T>
void expand(const std::byte* packed, std::span<T> out) {
  const auto& table = kEightValues<T, means>;
  const std::size_t whole = out.size() / 8;
  for (std::size_t i = 0; i < whole; ++i)
    std::memcpy(&out[8 * i], table[std::to_integer<std::size_t>(packed[i])].data(), sizeof table[0]);
  for (std::size_t i = 8 * whole; i < out.size(); ++i)
    out[i] = table[std::to_integer<std::size_t>(packed[whole]) >> (i % 8) & 1][0];
}

// The Moebius transform, in place; value x is bit x % 64 of word x / 64.
void moebius(std::span<std::uint64_t> words, int variables, const Workers& workers);

// The degree of an algebraic normal form; -1 for 0.
int degree_of_form(std::span<const std::uint64_t> form, const Workers& workers);

}  // namespace fugu::spectral::detail
