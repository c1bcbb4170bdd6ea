#include "fugu/spectral/cuda/detail/walsh_plan.hpp"

#include <algorithm>

#include "fugu/spectral/truth_table.hpp"

namespace fugu::spectral::cuda {
namespace {

using kernels::segment_bits;
using kernels::WalshPass;

int most_rows(int tile_bits, int register_bits, std::size_t element_bytes) {
  return kernels::most_strided_stages(tile_bits, register_bits, segment_bits(element_bytes));
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

// Short rows use small tiles, which leave room for more blocks on an SM.
int short_row_tile(int log2_size, std::uint64_t values, int usual) {
  if (log2_size <= kernels::kSmallTileBits && values < std::uint64_t{1} << kernels::kBatchTileBits) {
    return kernels::kSmallTileBits;
  }
  return log2_size <= kernels::kBatchTileBits ? std::min(usual, kernels::kBatchTileBits) : usual;
}

WalshPass contiguous_pass(int tile_bits, int stages) {
  return {false, tile_bits, tile_bits, tile_bits, 0, std::min(stages, tile_bits)};
}

WalshPass usual_strided_pass(int tile_bits, int first, int stages) {
  return strided_pass(tile_bits, kernels::register_bits_of(tile_bits), first, stages);
}

bool may_chain(std::size_t element_bytes, const Chip& chip) {
  return chip.cache_bytes >= kernels::kChainCacheBytes &&
         fits(kernels::chain_tile_bits(element_bytes), element_bytes, chip.shared_bytes);
}

// A chain of the stages [0, end) of `values`, in rows of at least 2^end.
WalshPlan chain(int end, std::uint64_t values, std::size_t element_bytes) {
  const int tile = kernels::chain_tile_bits(element_bytes);
  const std::uint64_t chunks = values >> end;
  const std::uint32_t tiles = std::uint32_t{1} << (end - tile);
  const auto lead =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(chunks * tiles, tiles + kernels::kAheadTiles));
  return {{contiguous_pass(tile, tile), usual_strided_pass(tile, tile, end - tile)},
          kernels::ChainShape{chunks, tiles, lead}};
}

// Splits the stages above the tile between the chain's second pass and the pass after it (at most `later`,
// preferably `few`). Returns 0 if they do not fit.
int chained_stages(int above, int later, int few) {
  const int stages = std::min(std::max(above / 2, above - few), kernels::kMaxChained);
  return above - stages <= later ? stages : 0;
}

// The stages from `first` on in passes of equal shares.
void add_strided_passes(std::vector<WalshPass>& passes, int tile_bits, int most, int first, int end) {
  for (int left = passes_for(end - first, most); left != 0; --left) {
    const int stages = passes_for(end - first, left);
    passes.push_back(usual_strided_pass(tile_bits, first, stages));
    first += stages;
  }
}

bool has_rings(const Chip& chip, bool aligned) {
  return aligned && chip.shared_bytes >= kernels::kRingBytes;
}

// Returns whether there is a tile for every multiprocessor.
bool fills_chip(std::uint64_t tiles, const Chip& chip) {
  return chip.multiprocessors > 0 && tiles >= static_cast<std::uint64_t>(chip.multiprocessors);
}

// Returns whether the last `stages` of a transform are those of a strided pass on ring tiles.
bool ring_takes(int stages, std::size_t element_bytes, const Chip& chip, bool aligned) {
  return has_rings(chip, aligned) && stages >= kernels::kMinRingRows &&
         stages <= most_rows(kernels::ring_tile_bits(element_bytes), element_bytes);
}

WalshPass ring_strided_pass(int first, int stages, std::size_t element_bytes) {
  return usual_strided_pass(kernels::ring_tile_bits(element_bytes), first, stages);
}

bool may_do_once(int log2_size, std::size_t element_bytes, const Chip& chip) {
  return log2_size <= kernels::kOneLaunchMaxBits &&
         fits(kernels::once_tile_bits(log2_size), element_bytes, chip.shared_bytes) &&
         kernels::walsh_once_blocks(log2_size) <= chip.multiprocessors * chip.once_blocks_per_multiprocessor;
}

// A contiguous pass and a strided one.
WalshPlan two_passes(int tile_bits, int log2_size) {
  return {{contiguous_pass(tile_bits, log2_size),
           usual_strided_pass(tile_bits, tile_bits, log2_size - tile_bits)},
          std::nullopt};
}

// Output of two passes that does not fit the cache is stored evict-first, so that the second pass finds the
// end of the first one's output: 2^24 32-bit values take 70.8 us on an H200 instead of 72.4. Passes on a ring
// are slower with such hints.
WalshPlan sparing_the_cache(WalshPlan plan, std::uint64_t values, std::size_t element_bytes,
                            const Chip& chip) {
  if (values * element_bytes > chip.cache_bytes) {
    const int tile_bits = plan.passes[0].tile_bits;
    plan.passes[0].leaving = (values - chip.cache_bytes / 4 / element_bytes) >> tile_bits;
    plan.passes[1].leaving = values >> tile_bits;
  }
  return plan;
}

}  // namespace

WalshPass strided_pass(int tile_bits, int register_bits, int first, int stages) {
  // Short passes read extra rows that take no part in a butterfly.
  const int rows = std::max(stages, register_bits);
  return {true, tile_bits, tile_bits - rows, first + stages - rows, tile_bits - stages, tile_bits};
}

WalshPlan plan_walsh(int log2_size, std::uint64_t values, std::size_t element_bytes, const Chip& chip,
                     bool aligned) {
  if (values == std::uint64_t{1} << log2_size && may_do_once(log2_size, element_bytes, chip)) {
    return {{}, std::nullopt, true};
  }
  const int tile = usual_tile(element_bytes, chip.shared_bytes);
  if (log2_size <= tile) {
    return {{contiguous_pass(short_row_tile(log2_size, values, tile), log2_size)}, std::nullopt};
  }
  const int ring = kernels::ring_tile_bits(element_bytes);
  if (log2_size == ring && has_rings(chip, aligned) && fills_chip(values >> ring, chip))
    return {{contiguous_pass(ring, ring)}, std::nullopt};
  if (ring_takes(log2_size - ring, element_bytes, chip, aligned)) return two_passes(ring, log2_size);
  const int most = most_rows(tile, element_bytes);
  if (log2_size <= tile + most) return plan_rows(log2_size, values, element_bytes, chip);
  const int chain_tile = kernels::chain_tile_bits(element_bytes);
  const int most_last = has_rings(chip, aligned) ? std::max(most, most_rows(ring, element_bytes)) : most;
  const int chained = chained_stages(log2_size - chain_tile, most_last, most);
  if (chained > 0 && may_chain(element_bytes, chip)) {
    WalshPlan plan = chain(chain_tile + chained, values, element_bytes);
    const int last = log2_size - chain_tile - chained;
    if (ring_takes(last, element_bytes, chip, aligned)) {
      plan.passes.push_back(ring_strided_pass(chain_tile + chained, last, element_bytes));
      return plan;
    }
    add_strided_passes(plan.passes, tile, most, chain_tile + chained, log2_size);
    return plan;
  }
  return plan_rows(log2_size, values, element_bytes, chip);
}

std::vector<WalshPass> plan_stages(int first, int stages, std::size_t element_bytes, const Chip& chip,
                                   bool aligned) {
  if (ring_takes(stages, element_bytes, chip, aligned))
    return {ring_strided_pass(first, stages, element_bytes)};
  const int tile = usual_tile(element_bytes, chip.shared_bytes);
  std::vector<WalshPass> passes;
  add_strided_passes(passes, tile, most_rows(tile, element_bytes), first, first + stages);
  return passes;
}

WalshPlan plan_rows(int log2_size, std::uint64_t values, std::size_t element_bytes, const Chip& chip) {
  const int tile = usual_tile(element_bytes, chip.shared_bytes);
  WalshPlan plan{{contiguous_pass(tile, log2_size)}, std::nullopt};
  add_strided_passes(plan.passes, tile, most_rows(tile, element_bytes), tile, log2_size);
  return plan.passes.size() == 2 ? sparing_the_cache(std::move(plan), values, element_bytes, chip) : plan;
}

ConvolutionPlan plan_convolution(int log2_size, std::size_t element_bytes, const Chip& chip, bool aligned) {
  constexpr int tile = kernels::kConvolveTileBits;
  if (log2_size <= tile) return {{}, contiguous_pass(tile, log2_size)};
  const int fused = most_rows(tile, kernels::kConvolveRegisterBits, element_bytes);
  const int low = log2_size - fused;
  if (has_rings(chip, aligned) && low == kernels::ring_tile_bits(element_bytes)) {
    return {{{contiguous_pass(low, low)}, std::nullopt},
            strided_pass(tile, kernels::kConvolveRegisterBits, low, fused)};
  }
  const int usual = usual_tile(element_bytes, chip.shared_bytes);
  const int chain_tile = kernels::chain_tile_bits(element_bytes);
  const int chained = chained_stages(log2_size - chain_tile, fused, kernels::kFewFused);
  ConvolutionPlan plan{{{contiguous_pass(usual, log2_size)}, std::nullopt}, {}};
  int first = plan.forward.passes[0].to;
  if (log2_size > first + fused && chained > 0 && may_chain(element_bytes, chip)) {
    first = chain_tile + chained;
    plan.forward = chain(first, std::uint64_t{1} << log2_size, element_bytes);
  }
  const int most = most_rows(usual, element_bytes);
  const int shares = passes_for(log2_size - first - fused, most) + 1;
  const int middle = std::min(fused, (log2_size - first) / shares);
  add_strided_passes(plan.forward.passes, usual, most, first, log2_size - middle);
  plan.middle = strided_pass(tile, kernels::kConvolveRegisterBits, log2_size - middle, middle);
  return plan;
}

std::vector<WalshPass> plan_moebius(int variables) {
  constexpr int tile = kernels::kTileBits;
  const int stages = std::max(variables - 5, 0);
  std::vector<WalshPass> passes{contiguous_pass(tile, stages)};
  add_strided_passes(passes, tile, most_rows(tile, sizeof(std::uint32_t)), tile, stages);
  return passes;
}

std::vector<WalshPass> plan_boolean(int variables) {
  constexpr int first = kernels::kBooleanFirstStages;
  constexpr int most = kernels::kMaxNarrowStages;
  static_assert((kMaxVariables - first + 1) / 2 <= most, "three passes suffice");
  std::vector<WalshPass> passes{contiguous_pass(kernels::kTileBits, first)};
  if (variables <= first + most) {
    passes.push_back(usual_strided_pass(kernels::kTileBits, first, variables - first));
    return passes;
  }
  const int widen = (variables - first) / 2;
  passes.push_back(usual_strided_pass(kernels::kBooleanTileBits, first, widen));
  passes.push_back(usual_strided_pass(kernels::kTileBits, first + widen, variables - first - widen));
  return passes;
}

}  // namespace fugu::spectral::cuda
