// Products in a binary field, bit by bit. Internal.
#pragma once

#include <cstdint>

namespace fugu::spectral::detail {

// a b modulo `polynomial`, of degree `bits`; bit i of an element is the coefficient of X^i.
inline std::uint32_t field_product(std::uint32_t a, std::uint32_t b, std::uint32_t polynomial, int bits) {
  std::uint32_t product = 0;
  for (; b != 0; b >>= 1) {
    if ((b & 1) != 0) product ^= a;
    a <<= 1;
    if ((a >> bits & 1) != 0) a ^= polynomial;
  }
  return product;
}

}  // namespace fugu::spectral::detail
