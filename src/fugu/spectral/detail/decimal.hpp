// A big integer that is multiplied by small ones, and printed. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fugu::spectral::detail {

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

}  // namespace fugu::spectral::detail
