// Integers modulo 2^128, also for 32-bit targets, which have no __int128. Internal.
#pragma once

#include <cstdint>

namespace fugu::spectral::detail {

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
