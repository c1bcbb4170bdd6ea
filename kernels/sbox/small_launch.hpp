// Launcher for many boxes of at most 8 inputs and outputs.
#pragma once

#include <cstdint>

#include "kernels/sbox/sbox_launch.hpp"

namespace fugu::kernels {

// Computes one result per box for many boxes of at most 8 inputs and outputs. A box of fewer inputs is given
// as one of 8 inputs that ignores the additional ones.
//   values      256 bytes per box
//   linearity   max |W(a,b)|, b != 0, of the box of 8 inputs
//   uniformity  max delta(a,b), 0 < a < 2^inputs, of the box of 8 inputs
//   degree      the algebraic degree of the box
struct SmallBoxes {
  int inputs;
  int outputs;
  std::uint64_t boxes;
  const std::uint8_t* values;
  std::uint16_t* linearity;
  std::uint16_t* uniformity;
  std::int8_t* degree;
};
int launch_small_boxes(const SmallBoxes& boxes, CUstream_st* stream);

}  // namespace fugu::kernels
