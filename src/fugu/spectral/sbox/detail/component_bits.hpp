// b.S(x) for one mask after the other, as bits that become 16-bit integers. Internal.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "fugu/core/butterfly.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral::detail {

// Bit x % 64 of word x / 64 is y_j of x.
class CoordinateBits {
 public:
  // Of 6 inputs or more.
  explicit CoordinateBits(const SBox& box)
      : words_(box.size() / 64), bits_(static_cast<std::size_t>(box.outputs()) * words_) {
    for (std::size_t j = 0; j < static_cast<std::size_t>(box.outputs()); ++j) {
      for (std::size_t x = 0; x < box.size(); ++x)
        bits_[j * words_ + x / 64] |= std::uint64_t{box[x] >> j & 1} << x % 64;
    }
  }

  std::size_t words() const { return words_; }
  std::span<const std::uint64_t> operator[](std::size_t j) const { return {&bits_[j * words_], words_}; }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

// By eight bits, half the Walsh transform of their signs, whose values are even.
using HalfSpectra = std::array<std::array<std::int16_t, 8>, 256>;

constexpr HalfSpectra half_spectra() {
  HalfSpectra table{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    for (unsigned a = 0; a < 8; ++a) {
      int sum = 0;
      for (unsigned x = 0; x < 8; ++x)
        sum += (static_cast<unsigned>(std::popcount(a & x)) + (byte >> x)) % 2 == 0 ? 1 : -1;
      table[byte][a] = static_cast<std::int16_t>(sum / 2);
    }
  }
  return table;
}

// Steps from mask to mask: consecutive ones differ in two bits on average.
class ComponentBits {
 public:
  explicit ComponentBits(const CoordinateBits& coordinates)
      : coordinates_(&coordinates), bits_(coordinates.words()) {}

  // into[x], 64 per word: half the Walsh transform of (-1)^(b.S(x)) over the three low bits of x.
  void write(std::uint32_t b, std::int16_t* into) {
    for (std::uint32_t change = b ^ mask_; change != 0; change &= change - 1) {
      const auto bits = (*coordinates_)[static_cast<std::size_t>(std::countr_zero(change))];
      for (std::size_t i = 0; i < bits_.size(); ++i) bits_[i] ^= bits[i];
    }
    mask_ = b;
    for (std::uint64_t word : bits_) {
      for (int i = 0; i < 8; ++i, word >>= 8, into += 8)
        std::memcpy(into, kHalfSpectra[word & 0xff].data(), sizeof(kHalfSpectra[0]));
    }
  }

  bool at_zero() const { return (bits_[0] & 1) != 0; }  // b.S(0)

 private:
  static constexpr HalfSpectra kHalfSpectra = half_spectra();

  const CoordinateBits* coordinates_;
  std::uint32_t mask_ = 0;
  std::vector<std::uint64_t> bits_;
};

}  // namespace fugu::spectral::detail
