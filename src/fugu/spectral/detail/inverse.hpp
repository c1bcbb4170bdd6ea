// Inputs that the inverse transforms of CPU and GPU both refuse.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "fugu/error.hpp"

namespace fugu::spectral::detail {

// Sums wrap modulo 2^bits, and those of the inverse are multiples of 2^n: if bits <= n every sum is 0,
// whatever the function was. Throws Error{usage}.
template <class T>
void check_inverse(int log2_size) {
  constexpr int kBits = 8 * static_cast<int>(sizeof(T));
  if (std::is_floating_point_v<T> || log2_size < kBits) return;
  throw Error(Errc::usage, "the inverse of 2^" + std::to_string(log2_size) + " values does not fit " +
                               std::to_string(kBits) + "-bit integers");
}

}  // namespace fugu::spectral::detail
