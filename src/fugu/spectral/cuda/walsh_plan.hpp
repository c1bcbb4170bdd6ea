// Which passes over device memory a Walsh transform takes. Plain arithmetic: tested without a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/spectral_launch.hpp"

namespace fugu::spectral::cuda {

struct Chip {
  std::size_t shared_bytes;  // of shared memory that a block may have
  bool clusters;             // blocks can read each other's (compute capability 9.0 and up)
};

// The passes of rows of 2^log2_size values, in order. Stages [0, n) are each done exactly once. `values` is
// the size of the whole batch.
std::vector<kernels::WalshPass> plan_passes(int log2_size, std::uint64_t values, std::size_t element_bytes,
                                            const Chip& chip);

// A strided pass of the stages [first, first + stages) on tiles of 2^tile_bits.
kernels::WalshPass strided_pass(int tile_bits, int register_bits, int first, int stages);

// The same and a contiguous one by groups of blocks, for kernels::kClusterStages more stages.
kernels::WalshPass cluster_strided_pass(std::size_t element_bytes, int first, int stages);
kernels::WalshPass cluster_contiguous_pass(std::size_t element_bytes);

// The passes of a dyadic convolution: `forward` on f and on g, `middle` fused, `forward` again on f for the
// inverse.
struct ConvolutionPlan {
  std::vector<kernels::WalshPass> forward;
  kernels::WalshPass middle;
};
ConvolutionPlan plan_convolution(int log2_size, std::size_t element_bytes, const Chip& chip);

}  // namespace fugu::spectral::cuda
