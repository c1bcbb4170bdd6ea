// Four stages of a transform at once: a warp's matrix of 16 x 16 halves times the Hadamard matrix of order
// 16, from the left and from the right, by the chip's matrix instructions (PTX ISA, mma.m16n8k16).
//
// A lane has four words of a matrix X of halves. With g = lane / 4 and t = lane % 4, word w holds
//   before the product from the left   X[2 t + 8 (w % 2) and one more][g + 8 (w / 2)],
//   behind it and before the one from the right, and behind that
//                                      X[g + 8 (w % 2)][2 t + 8 (w / 2) and one more].
// So the first moves what rows number to where columns did not, and the second needs no exchange of lanes.
#pragma once

#include <cstdint>

#include "fugu/core/hd.hpp"
#include "kernels/walsh/moebius_agent.hpp"

namespace fugu::kernels {

// Word w of the Hadamard matrix, as it is multiplied with from either side. `one`: the half that stands
// for 1.
FUGU_HD std::uint32_t hadamard_word(std::uint32_t lane, std::uint32_t w, std::uint32_t one) {
  const std::uint32_t row = lane / 4 + 8 * (w % 2), column = 2 * (lane % 4) + 8 * (w / 2);
  const auto sign = [&](std::uint32_t at) { return static_cast<std::uint32_t>(ones(row & at) & 1) << 15; };
  return (one ^ sign(column)) | (one ^ sign(column + 1)) << 16;
}

}  // namespace fugu::kernels
