// b.S(x) for all x, for one mask b after the other: as 32-bit signs, and as bits that become 16-bit integers.
// Internal.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral::detail {

// A row of words per coordinate y_j, in which a sum of coordinates is an exclusive or of words.
template <class Word>
class CoordinateRows {
 public:
  CoordinateRows(int outputs, std::size_t words)
      : words_(words), rows_(static_cast<std::size_t>(outputs) * words) {}

  std::size_t words() const { return words_; }
  std::span<Word> operator[](std::size_t j) { return {&rows_[j * words_], words_}; }
  std::span<const Word> operator[](std::size_t j) const { return {&rows_[j * words_], words_}; }

 private:
  std::size_t words_;
  std::vector<Word> rows_;
};

// The row of one component, which steps from mask to mask: consecutive masks differ in two bits on average.
template <class Word>
class ComponentRow {
 public:
  explicit ComponentRow(const CoordinateRows<Word>& coordinates)
      : coordinates_(&coordinates), row_(coordinates.words()) {}

  std::span<const Word> row() const { return row_; }

  void step_to(std::uint32_t b) {
    for (std::uint32_t change = b ^ mask_; change != 0; change &= change - 1) {
      const auto row = (*coordinates_)[static_cast<std::size_t>(std::countr_zero(change))];
      for (std::size_t i = 0; i < row_.size(); ++i) row_[i] ^= row[i];
    }
    mask_ = b;
  }

 private:
  const CoordinateRows<Word>* coordinates_;
  std::uint32_t mask_ = 0;
  std::vector<Word> row_;
};

// Word x is 0 where y_j is 0, -1 where it is 1.
struct CoordinateSigns : CoordinateRows<std::int32_t> {
  explicit CoordinateSigns(const SBox& box) : CoordinateRows(box.outputs(), box.size()) {
    for (std::size_t j = 0; j < static_cast<std::size_t>(box.outputs()); ++j) {
      for (std::size_t x = 0; x < box.size(); ++x)
        (*this)[j][x] = -static_cast<std::int32_t>(box[x] >> j & 1);
    }
  }
};

class ComponentSigns : ComponentRow<std::int32_t> {
 public:
  using ComponentRow::ComponentRow;

  // into[x] = (-1)^(b.S(x))
  void write(std::uint32_t b, std::int32_t* into) {
    step_to(b);
    for (std::size_t x = 0; x < row().size(); ++x) into[x] = row()[x] | 1;
  }
};

// Bit x % 64 of word x / 64 is y_j of x, for at least 6 inputs.
struct CoordinateBits : CoordinateRows<std::uint64_t> {
  explicit CoordinateBits(const SBox& box) : CoordinateRows(box.outputs(), box.size() / 64) {
    for (std::size_t j = 0; j < static_cast<std::size_t>(box.outputs()); ++j) {
      for (std::size_t x = 0; x < box.size(); ++x)
        (*this)[j][x / 64] |= std::uint64_t{box[x] >> j & 1} << x % 64;
    }
  }
};

// Half the Walsh transform of the signs of eight bits, for every byte; before halving its values are even.
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

class ComponentBits : ComponentRow<std::uint64_t> {
 public:
  using ComponentRow::ComponentRow;

  // into[x], 64 per word: half the Walsh transform of (-1)^(b.S(x)) over the three low bits of x.
  void write(std::uint32_t b, std::int16_t* into) {
    step_to(b);
    for (std::uint64_t word : row()) {
      for (int i = 0; i < 8; ++i, word >>= 8, into += 8)
        std::memcpy(into, kHalfSpectra[word & 0xff].data(), sizeof(kHalfSpectra[0]));
    }
  }

  bool at_zero() const { return (row()[0] & 1) != 0; }  // b.S(0)

 private:
  static constexpr HalfSpectra kHalfSpectra = half_spectra();
};

}  // namespace fugu::spectral::detail
