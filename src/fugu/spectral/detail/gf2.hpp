// Arithmetic over F_2: Gaussian elimination, a vector at a time, and products in binary fields. Internal.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fugu::spectral::detail {

class BitBasis {
 public:
  // Vectors of `bits` bits in whole words, followed by `tags` bits that change with them and decide nothing.
  explicit BitBasis(std::size_t bits, std::size_t tags = 0)
      : words_((bits + 63) / 64), all_words_(words_ + (tags + 63) / 64), row_of_(64 * words_, kNone) {}

  std::size_t words() const { return words_; }
  std::size_t rank() const { return rows_.size() / (all_words_ == 0 ? 1 : all_words_); }

  // Reduces `vector` in place; returns whether it was independent of those added before, in which case it is
  // added.
  bool add(std::span<std::uint64_t> vector) {
    for (std::size_t w = 0; w < words_; ++w) {
      while (vector[w] != 0) {
        const std::size_t pivot = 64 * w + static_cast<std::size_t>(std::countr_zero(vector[w]));
        if (row_of_[pivot] == kNone) {
          row_of_[pivot] = rank();
          rows_.insert(rows_.end(), vector.begin(), vector.end());
          return true;
        }
        const std::uint64_t* const row = &rows_[row_of_[pivot] * all_words_];
        for (std::size_t i = w; i < all_words_; ++i) vector[i] ^= row[i];
      }
    }
    return false;
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  std::size_t words_;
  std::size_t all_words_;
  std::vector<std::size_t> row_of_;  // by pivot
  std::vector<std::uint64_t> rows_;
};

// Vectors, one after the other, and the sums of them that are 0: each of the vectors found to depend on
// earlier ones gives one.
class Dependencies {
 public:
  Dependencies(std::size_t bits, std::size_t vectors)
      : basis_(bits, vectors), work_(basis_.words() + (vectors + 63) / 64) {}

  // Returns the numbers of the vectors whose sum is 0, or nothing if this one is independent.
  std::vector<std::size_t> add(std::span<const std::uint64_t> vector) {
    std::ranges::fill(work_, 0);
    std::ranges::copy(vector, work_.begin());
    const std::size_t words = basis_.words();
    work_[words + count_ / 64] |= std::uint64_t{1} << (count_ % 64);
    ++count_;
    std::vector<std::size_t> sum;
    if (basis_.add(work_)) return sum;
    for (std::size_t i = 0; i < count_; ++i)
      if ((work_[words + i / 64] >> (i % 64) & 1) != 0) sum.push_back(i);
    return sum;
  }

 private:
  BitBasis basis_;
  std::vector<std::uint64_t> work_;
  std::size_t count_ = 0;
};

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
