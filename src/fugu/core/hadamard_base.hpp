// Hadamard matrices of 12, 20, 28 and 40 rows, by which rows of m 2^k values are rotated: value by value
// those of hadamard_transform_12N, 20N, 28N and 40N of Dao-AILab/fast-hadamard-transform 1.1, which have
// their values from the constructions of Paley (1933) and Williamson (1944) as N. J. A. Sloane lists them.
#pragma once

namespace fugu::core {

constexpr bool has_hadamard_base(int rows) {
  return rows == 12 || rows == 20 || rows == 28 || rows == 40;
}

namespace detail {

// 0 for multiples of the prime, 1 for other squares modulo the prime, otherwise -1.
constexpr int quadratic_character(int value, int prime) {
  value = (value % prime + prime) % prime;
  for (int root = 0; root < prime; ++root)
    if (root * root % prime == value) return value == 0 ? 0 : 1;
  return -1;
}

// Paley's first construction, of prime + 1 rows.
constexpr int paley_first(int prime, int row, int column) {
  if (row == 0) return column == 0 ? 1 : -1;
  return column == 0 || row == column ? 1 : quadratic_character(row - column, prime);
}

// Paley's second construction, of 2 (prime + 1) rows: blocks of 2 x 2.
constexpr int paley_second(int prime, int row, int column) {
  const int across = row / 2, along = column / 2;
  const bool both_odd = row % 2 == 1 && column % 2 == 1;
  if (across == along) return row % 2 == 0 && column % 2 == 0 ? 1 : -1;
  const int conference = across == 0 || along == 0 ? 1 : quadratic_character(across - along, prime);
  return both_odd ? -conference : conference;
}

// Williamson's array of circulant matrices A, B, C, D, given by their first rows.
constexpr int williamson(const char* const (&first_rows)[4], int size, int row, int column) {
  constexpr const char* kSigns[] = {"++++", "-+-+", "-++-", "--++"};
  const int across = row / size, along = column / size;
  const char first = first_rows[across ^ along][(column - row + 4 * size) % size];
  return first == kSigns[across][along] ? 1 : -1;
}

}  // namespace detail

// The entry of the matrix of `rows` rows: 1 or -1. Only that of 12 rows is symmetric.
constexpr int hadamard_base(int rows, int row, int column) {
  constexpr const char* kOf20[] = {"+----", "+----", "++--+", "+-++-"};
  constexpr const char* kOf28[] = {"+------", "++----+", "+-+--+-", "+--++--"};
  if (rows == 12) return detail::paley_second(5, row, column);
  if (rows == 20) return detail::williamson(kOf20, 5, row, column);
  if (rows == 28) return detail::williamson(kOf28, 7, row, column);
  const int twice = detail::paley_first(19, row % 20, column % 20);
  return row >= 20 && column >= 20 ? -twice : twice;
}

}  // namespace fugu::core
