// Arithmetic modulo a prime below 2^31. Internal.
#pragma once

#include "fugu/spectral/detail/group_passes.hpp"

namespace fugu::spectral::detail {

inline std::uint32_t power_modulo(std::uint64_t base, std::uint64_t exponent, std::uint32_t prime) {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent /= 2, base = base * base % prime) {
    if (exponent % 2 == 1) result = result * base % prime;
  }
  return static_cast<std::uint32_t>(result);
}

inline std::uint32_t inverse_modulo(std::uint64_t x, std::uint32_t prime) {
  return power_modulo(x % prime, prime - 2, prime);
}

inline bool is_prime(std::uint32_t q) {
  return q > 1 && smallest_factor(q) == q;
}

}  // namespace fugu::spectral::detail
