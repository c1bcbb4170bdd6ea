// The products of the fake matrix units, optimised in every build.
#include "spectral/fake_matrix_unit.hpp"

#include <bit>

#include "kernels/sbox/half_words.hpp"

namespace fugu::spectral::test {
namespace {

float half_at(std::uint32_t pair, unsigned at) {
  return kernels::value_of_half(pair >> (16 * at) & 0xffff);
}

}  // namespace

// Element (row, column) of the 16 x 8 result is element 2 (row / 8) + column % 2 of lane 4 (row % 8) + column
// / 2. Word i of A belongs to row g + 8 (i % 2), and to the same k as word b[i / 2] of B.
void count_bits(WarpRequests& lanes, std::size_t at) {
  for (unsigned row = 0; row < 16; ++row) {
    for (unsigned column = 0; column < 8; ++column) {
      int common = 0;
      for (unsigned word = 0; word < 8; ++word) {
        const std::uint32_t a = lanes[4 * (row % 8) + word % 4][at].a[2 * (word / 4) + row / 8];
        common += std::popcount(a & lanes[4 * column + word % 4][at].b[word / 4]);
      }
      lanes[4 * (row % 8) + column / 2][at].counts[2 * (row / 8) + column % 2] += common;
    }
  }
}

void multiply_halves(WarpRequests& lanes, std::size_t at) {
  double a[16][16], b[16][8];
  for (unsigned k = 0; k < 16; ++k) {
    for (unsigned row = 0; row < 16; ++row)
      a[row][k] = half_at(lanes[4 * (row % 8) + k % 8 / 2][at].a[2 * (k / 8) + row / 8], k % 2);
    for (unsigned column = 0; column < 8; ++column)
      b[k][column] = half_at(lanes[4 * column + k % 8 / 2][at].b[k / 8], k % 2);
  }
  for (unsigned row = 0; row < 16; ++row) {
    for (unsigned column = 0; column < 8; ++column) {
      double sum = 0;
      for (unsigned k = 0; k < 16; ++k) sum += a[row][k] * b[k][column];
      const MatrixRequest& lane = lanes[4 * (row % 8) + column / 2][at];
      if (lane.floats != nullptr) {
        lane.floats[2 * (row / 8) + column % 2] = static_cast<float>(sum);
        continue;
      }
      std::uint32_t& bits = lane.halves[row / 8]->bits;
      const unsigned shift = 16 * (column % 2);
      bits = (bits & ~(0xffffu << shift)) | kernels::nearest_half(static_cast<float>(sum)) << shift;
    }
  }
}

Floats multiply(const Words4& a, const Words2& b) {
  float left[16][16], right[16][8];
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned group = lane / 4, in_group = lane % 4;
    for (unsigned i = 0; i < 8; ++i)
      left[group + (i % 4 >= 2 ? 8 : 0)][in_group * 2 + i % 2 + (i >= 4 ? 8 : 0)] =
          half_at(a[lane][i / 2], i % 2);
    for (unsigned i = 0; i < 4; ++i)
      right[in_group * 2 + i % 2 + (i >= 2 ? 8 : 0)][group] = half_at(b[lane][i / 2], i % 2);
  }
  Floats d;
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned row = lane / 4 + (i >= 2 ? 8 : 0), column = lane % 4 * 2 + i % 2;
      d[lane][i] = 0;
      for (unsigned k = 0; k < 16; ++k) d[lane][i] += left[row][k] * right[k][column];
    }
  }
  return d;
}

}  // namespace fugu::spectral::test
