// The passes over device memory of a Walsh transform. Plain arithmetic: tested without a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/spectral_launch.hpp"

namespace fugu::spectral::cuda {

struct Chip {
  std::size_t shared_bytes;  // shared memory available to a block
  std::size_t cache_bytes;   // second-level cache
  int multiprocessors = 0;
  int once_blocks_per_multiprocessor = 1;  // launch_walsh_once's, resident at the same time
};

struct WalshPlan {
  std::vector<kernels::WalshPass> passes;    // in order
  std::optional<kernels::ChainShape> chain;  // the first two passes are one launch
  bool once = false;                         // no passes: launch_walsh_once does it all
};

// Does each of the stages [0, log2_size) of rows of 2^log2_size exactly once. A single row is done by
// launch_walsh_once if that takes it and all its blocks fit on the chip. `values` is the size of the whole
// batch; `aligned`: it begins at a multiple of kernels::kPieceBytes.
WalshPlan plan_walsh(int log2_size, std::uint64_t values, std::size_t element_bytes, const Chip& chip,
                     bool aligned = true);

// A strided pass of the stages [first, first + stages) on tiles of 2^tile_bits.
kernels::WalshPass strided_pass(int tile_bits, int register_bits, int first, int stages);

// The stages [first, first + stages) of rows of at least that many bits; `first` is at least a tile's bits.
std::vector<kernels::WalshPass> plan_stages(int first, int stages, std::size_t element_bytes,
                                            const Chip& chip, bool aligned = true);

// A batch of rows in passes of which the first is contiguous, on tiles that are not ring tiles.
WalshPlan plan_rows(int log2_size, std::uint64_t values, std::size_t element_bytes, const Chip& chip);

// The passes of a dyadic convolution of two rows of 2^log2_size: `forward` on f and on g, `middle` fused,
// `forward` again on f for the inverse.
struct ConvolutionPlan {
  WalshPlan forward;
  kernels::WalshPass middle;
};
ConvolutionPlan plan_convolution(int log2_size, std::size_t element_bytes, const Chip& chip,
                                 bool aligned = true);

// A Boolean spectrum of more than 14 variables: bits become 16-bit values in passes[0] (of
// kernels::kBooleanFirstStages stages), 32-bit values in passes[1].
std::vector<kernels::WalshPass> plan_boolean(int variables);

// The Moebius transform of a packed truth table: stages of the index of a word of 32 values.
std::vector<kernels::WalshPass> plan_moebius(int variables);

}  // namespace fugu::spectral::cuda
