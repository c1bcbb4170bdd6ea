// One tile of the pass in the middle of a dyadic convolution: the last stages of both forward transforms, the
// product, and the first stages of the inverse, with both tiles in registers.
//
// The phases of one thread, with a barrier after each: f forward, g forward, product and backward.
#pragma once

#include "kernels/walsh/walsh_agent.hpp"

namespace fugu::kernels {

// Wraps like the butterflies do.
template <class T>
FUGU_HD T wrapped_product(T a, T b) {
  return static_cast<T>(static_cast<core::Wrap<T>>(a) * static_cast<core::Wrap<T>>(b));
}

template <class Tile>
FUGU_HD void multiply_tiles(Tile& f, const Tile& g) {
  FUGU_UNROLL
  for (int j = 0; j < Tile::kValues; ++j) f.x[j] = wrapped_product(f.x[j], g.x[j]);
}

}  // namespace fugu::kernels
