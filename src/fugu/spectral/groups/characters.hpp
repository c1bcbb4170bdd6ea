// Character tables of finite Abelian groups C_q1 x ... x C_qm (Gajic, Stankovic, "GPU Accelerated
// Construction of Characters of Finite Abelian Groups", 2012; the q_s need not be prime nor equal).
//
// Row w, column z, both counted from 0 and read as mixed-radix digits with the digit of q1 the most
// significant:
//   chi_w(z) = exp(2 pi i e / L),  e = sum over s of w_s z_s L / q_s modulo L,  L = lcm(q_1, ..., q_m)
// That is the Kronecker product of the tables of C_q1, ..., C_qm (the paper's Example 2 and Algorithm 1).
// Equation (1) of the paper pairs the digits the other way round, which reverses the digits of w:
// RowOrder::equation1.
//
// All values come from one table of the L roots of unity, which is symmetric, and exact for 1, -1, i and -i:
// equal characters are bit-identical, and conjugate ones are conjugates to the last bit.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fugu/core/digits.hpp"
#include "fugu/export.hpp"

namespace fugu::spectral {

enum class RowOrder : std::uint8_t { kronecker, equation1 };

class FUGU_EXPORT CharacterGroup {
 public:
  // `orders`: 1 to core::kMaxFactors orders of at least 1, whose product fits 63 bits and whose least common
  // multiple is at most 65536. Throws Error{usage} otherwise.
  explicit CharacterGroup(std::span<const std::uint32_t> orders);

  // Parses "3^8", "2x3x4", "2^3x5". Throws Error{usage}.
  static CharacterGroup parse(std::string_view text);

  std::uint64_t order() const noexcept { return order_; }             // rows and columns of the table
  std::uint32_t modulus() const noexcept { return digits_.modulus; }  // L
  const core::DigitSystem& digits() const noexcept { return digits_; }

 private:
  core::DigitSystem digits_;
  std::uint64_t order_ = 1;
};

// A part of the table: row-major, without gaps.
struct TableTile {
  std::uint64_t first_row = 0;
  std::uint64_t rows = 0;
  std::uint64_t first_column = 0;
  std::uint64_t columns = 0;
};

FUGU_EXPORT TableTile whole_table(const CharacterGroup& group);

// The number of values in a tile. Throws Error{usage} when the tile is not inside the table or its size does
// not fit 63 bits.
FUGU_EXPORT std::uint64_t tile_values(const CharacterGroup& group, const TableTile& tile);

// The L roots exp(2 pi i k / L). T: float, double.
template <class T>
FUGU_EXPORT std::vector<std::complex<T>> roots_of_unity(std::uint32_t modulus);

// Writes a tile. T: std::complex<float>, std::complex<double> for the characters; std::uint8_t (L at most
// 256) or std::uint16_t for the exact exponents e. `out` holds tile_values() values. `threads` 0: all this
// process may run on. Throws Error{usage}.
template <class T>
FUGU_EXPORT void character_table(const CharacterGroup& group, const TableTile& tile, std::span<T> out,
                                 RowOrder order = RowOrder::kronecker, unsigned threads = 0);

}  // namespace fugu::spectral
