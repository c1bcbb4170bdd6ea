#include "fugu/spectral/cuda/walsh_plan.hpp"

#include <algorithm>

namespace fugu::spectral::cuda {
namespace {

using kernels::WalshPass;

// Consecutive values that a strided pass should touch at least: 64 bytes of them.
constexpr int segment_bits(std::size_t element_bytes) {
  return element_bytes == 8 ? 3 : 4;
}

// Stages a strided pass does at most: two windows of registers, and whole segments.
int most_rows(int tile_bits, int register_bits, std::size_t element_bytes) {
  return std::min(2 * register_bits, tile_bits - segment_bits(element_bytes));
}

int most_rows(int tile_bits, std::size_t element_bytes) {
  return most_rows(tile_bits, kernels::register_bits_of(tile_bits), element_bytes);
}

int passes_for(int stages, int most) {
  return (std::max(stages, 0) + most - 1) / most;
}

bool fits(int tile_bits, std::size_t element_bytes, std::size_t shared_bytes) {
  return kernels::tile_shared_bytes(tile_bits, element_bytes) <= shared_bytes;
}

int usual_tile(std::size_t element_bytes, std::size_t shared_bytes) {
  if (element_bytes == 4 && fits(kernels::kTileBits, element_bytes, shared_bytes)) return kernels::kTileBits;
  if (fits(kernels::kBatchTileBits, element_bytes, shared_bytes)) return kernels::kBatchTileBits;
  return kernels::kSmallTileBits;
}

// Short rows: small tiles leave room for more blocks on an SM.
int short_row_tile(int log2_size, std::uint64_t values, int usual) {
  if (log2_size <= kernels::kSmallTileBits && values < std::uint64_t{1} << kernels::kBatchTileBits) {
    return kernels::kSmallTileBits;
  }
  return log2_size <= kernels::kBatchTileBits ? std::min(usual, kernels::kBatchTileBits) : usual;
}

WalshPass contiguous_pass(int tile_bits, int stages) {
  return {false, tile_bits, tile_bits, tile_bits, 0, std::min(stages, tile_bits)};
}

}  // namespace

WalshPass strided_pass(int tile_bits, int register_bits, int first, int stages) {
  // With fewer stages than a thread holds registers for, the tile takes rows that are not paired.
  const int rows = std::max(stages, register_bits);
  return {true, tile_bits, tile_bits - rows, first + stages - rows, tile_bits - stages, tile_bits};
}

WalshPass cluster_strided_pass(std::size_t element_bytes, int first, int stages) {
  const int tile = kernels::cluster_tile_bits(element_bytes);
  WalshPass pass =
      strided_pass(tile, kernels::register_bits_of(tile), first, stages - kernels::kClusterStages);
  pass.cluster = true;
  return pass;
}

WalshPass cluster_contiguous_pass(std::size_t element_bytes) {
  const int tile = kernels::cluster_tile_bits(element_bytes);
  WalshPass pass = contiguous_pass(tile, tile);
  pass.cluster = true;
  return pass;
}

std::vector<WalshPass> plan_passes(int log2_size, std::uint64_t values, std::size_t element_bytes,
                                   const Chip& chip) {
  const int usual = usual_tile(element_bytes, chip.shared_bytes);
  if (log2_size <= usual) return {contiguous_pass(short_row_tile(log2_size, values, usual), log2_size)};
  const int most = most_rows(usual, element_bytes);
  // On an H200 a group pass costs 1.8 passes and saves one whole one only where two are left instead of
  // three.
  const int grouped = usual + kernels::kClusterStages;
  const bool group = chip.clusters && usual == kernels::cluster_tile_bits(element_bytes) &&
                     log2_size > usual + most && log2_size <= grouped + most;
  std::vector<WalshPass> passes{group ? cluster_contiguous_pass(element_bytes)
                                      : contiguous_pass(usual, log2_size)};
  int first = group ? grouped : usual;
  for (int left = passes_for(log2_size - first, most); left != 0; --left) {
    const int stages = passes_for(log2_size - first, left);
    passes.push_back(strided_pass(usual, kernels::register_bits_of(usual), first, stages));
    first += stages;
  }
  return passes;
}

ConvolutionPlan plan_convolution(int log2_size, std::size_t element_bytes, const Chip& chip) {
  const int tile = kernels::convolve_tile_bits(element_bytes);
  if (log2_size <= tile) return {{}, contiguous_pass(tile, log2_size)};
  const int registers = kernels::convolve_register_bits(element_bytes);
  const int usual = usual_tile(element_bytes, chip.shared_bytes);
  const bool clusters = chip.clusters && usual == kernels::cluster_tile_bits(element_bytes);
  const int most_fused = most_rows(tile, registers, element_bytes);
  ConvolutionPlan plan;
  plan.forward.push_back(contiguous_pass(usual, log2_size));
  int first = plan.forward[0].to;
  // The lowest pass takes more where that saves the pass between it and the fused one.
  const int beyond = log2_size - first - most_fused;
  if (clusters && beyond > 0 && beyond <= kernels::kClusterStages) {
    plan.forward[0] = cluster_contiguous_pass(element_bytes);
    first += kernels::kClusterStages;
  }
  for (int left = passes_for(log2_size - first - most_fused, most_rows(usual, element_bytes)); left != 0;
       --left) {
    const int stages = passes_for(log2_size - first, left + 1);
    plan.forward.push_back(strided_pass(usual, kernels::register_bits_of(usual), first, stages));
    first += stages;
  }
  plan.middle = strided_pass(tile, registers, first, log2_size - first);
  return plan;
}

}  // namespace fugu::spectral::cuda
