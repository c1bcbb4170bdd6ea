// (-1)^(b.S(x)) for one mask after the other. Internal.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral::detail {

// The coordinates as masks: 0 where y_j is 0, -1 where it is 1.
class CoordinateSigns {
 public:
  explicit CoordinateSigns(const SBox& box)
      : size_(box.size()), signs_(static_cast<std::size_t>(box.outputs()) * box.size()) {
    for (std::size_t j = 0; j < static_cast<std::size_t>(box.outputs()); ++j) {
      for (std::size_t x = 0; x < size_; ++x)
        signs_[j * size_ + x] = -static_cast<std::int32_t>(box[x] >> j & 1);
    }
  }

  std::size_t size() const { return size_; }
  std::span<const std::int32_t> operator[](std::size_t j) const { return {&signs_[j * size_], size_}; }

 private:
  std::size_t size_;
  std::vector<std::int32_t> signs_;
};

// Steps from mask to mask: consecutive ones differ in two bits on average.
class ComponentSigns {
 public:
  explicit ComponentSigns(const CoordinateSigns& coordinates)
      : coordinates_(&coordinates), signs_(coordinates.size()) {}

  // into[x] = (-1)^(b.S(x))
  void write(std::uint32_t b, std::int32_t* into) {
    for (std::uint32_t change = b ^ mask_; change != 0; change &= change - 1) {
      const auto signs = (*coordinates_)[static_cast<std::size_t>(std::countr_zero(change))];
      for (std::size_t x = 0; x < signs_.size(); ++x) signs_[x] ^= signs[x];
    }
    mask_ = b;
    for (std::size_t x = 0; x < signs_.size(); ++x) into[x] = signs_[x] | 1;
  }

 private:
  const CoordinateSigns* coordinates_;
  std::uint32_t mask_ = 0;
  std::vector<std::int32_t> signs_;
};

}  // namespace fugu::spectral::detail
