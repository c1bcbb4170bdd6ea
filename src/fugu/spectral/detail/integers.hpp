// Integers: factors, residues modulo a prime below 2^31, magnitudes, and more than 64 bits. Internal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fugu/core/butterfly.hpp"

namespace fugu::spectral::detail {

inline std::uint32_t smallest_factor(std::uint32_t q) {
  for (std::uint32_t p = 2; p * p <= q; ++p) {
    if (q % p == 0) return p;
  }
  return q;
}

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

using core::magnitude;

// The sum of |x|, at most `cap`.
template <class T>
std::uint64_t capped_sum(std::span<const T> values, std::uint64_t cap) {
  std::uint64_t sum = 0;
  for (const T x : values) sum += std::min<std::uint64_t>(magnitude(x), cap - sum);
  return sum;
}

template <class T>
std::uint64_t largest_magnitude(std::span<const T> values) {
  std::uint64_t largest = 0;
  for (const T x : values) largest = std::max<std::uint64_t>(largest, magnitude(x));
  return largest;
}

// A big integer that is multiplied by small ones, and printed.
class Decimal {
 public:
  void multiply(std::uint64_t by) {
    std::uint64_t carry = 0;
    for (std::uint64_t& limb : limbs_) {
      carry += limb * by;
      limb = carry % kBase;
      carry /= kBase;
    }
    if (carry != 0) limbs_.push_back(carry);
  }

  std::string text() const {
    std::string digits = std::to_string(limbs_.back());
    for (std::size_t i = limbs_.size() - 1; i-- > 0;) {
      const std::string limb = std::to_string(limbs_[i]);
      digits += std::string(9 - limb.size(), '0') + limb;
    }
    return digits;
  }

 private:
  static constexpr std::uint64_t kBase = 1'000'000'000;
  std::vector<std::uint64_t> limbs_{1};
};

// Integers modulo 2^128, also for 32-bit targets, which have no __int128.
class Wide {
 public:
  constexpr Wide() = default;
  constexpr Wide(std::int64_t value)  // NOLINT: widens as the built-in integers do
      : low_(static_cast<std::uint64_t>(value)), high_(value < 0 ? ~std::uint64_t{0} : 0) {}

  friend constexpr Wide operator+(Wide a, Wide b) {
    const std::uint64_t low = a.low_ + b.low_;
    return {low, a.high_ + b.high_ + (low < a.low_ ? 1 : 0)};
  }
  friend constexpr Wide operator-(Wide a, Wide b) {
    return {a.low_ - b.low_, a.high_ - b.high_ - (a.low_ < b.low_ ? 1 : 0)};
  }
  friend constexpr Wide operator*(Wide a, Wide b) {
    const Wide low = product(a.low_, b.low_);
    return {low.low_, low.high_ + a.low_ * b.high_ + a.high_ * b.low_};
  }

  // floor(*this / 2^bits) modulo 2^64, with *this as a signed integer; 0 <= bits < 64.
  constexpr std::int64_t shifted_right(int bits) const {
    return static_cast<std::int64_t>(bits == 0 ? low_ : low_ >> bits | high_ << (64 - bits));
  }

 private:
  constexpr Wide(std::uint64_t low, std::uint64_t high) : low_(low), high_(high) {}

  // By 32-bit halves: no sum of the three carries exceeds 64 bits.
  static constexpr Wide product(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t kHalf = 0xffffffff;
    const std::uint64_t low = (a & kHalf) * (b & kHalf);
    const std::uint64_t middle = (a >> 32) * (b & kHalf) + (low >> 32);
    const std::uint64_t other = (a & kHalf) * (b >> 32) + (middle & kHalf);
    return {other << 32 | (low & kHalf), (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32)};
  }

  std::uint64_t low_ = 0;
  std::uint64_t high_ = 0;
};

}  // namespace fugu::spectral::detail
