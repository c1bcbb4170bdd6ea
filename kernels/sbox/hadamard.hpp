// Four stages of a transform at once: matrix instructions (PTX ISA, mma.m16n8k16) multiply a warp's matrix of
// 16 x 16 halves by the Hadamard matrix of order 16, first from the left and then from the right.
//
// A lane has four words of a matrix X of halves. With g = lane / 4 and t = lane % 4, word w holds
//   X[2 t + 8 (w % 2) + {0, 1}][g + 8 (w / 2)]  before the product from the left,
//   X[g + 8 (w % 2)][2 t + 8 (w / 2) + {0, 1}]  after it, and before and after the product from the right.
// So no lanes exchange values between the two products.
#pragma once

#include <cstdint>

#include "fugu/core/hd.hpp"
#include "kernels/walsh/moebius_agent.hpp"

namespace fugu::kernels {

// Returns word w of the Hadamard matrix, the same for a product from either side. `one` is the half that
// represents 1.
FUGU_HD std::uint32_t hadamard_word(std::uint32_t lane, std::uint32_t w, std::uint32_t one) {
  const std::uint32_t row = lane / 4 + 8 * (w % 2), column = 2 * (lane % 4) + 8 * (w / 2);
  const auto sign = [&](std::uint32_t at) { return static_cast<std::uint32_t>(ones(row & at) & 1) << 15; };
  return (one ^ sign(column)) | (one ^ sign(column + 1)) << 16;
}

}  // namespace fugu::kernels
