// The passes over memory that make up a transform. Internal: walsh, boolean and dyadic share them, so that a
// pass can do more than transform.
//
// The stages of the transform commute, so passes may run in any order: first the rows that fit a cache
// (stages [0, inner)), then column passes, each over a range of the stages above.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "fugu/spectral/detail/parallel.hpp"
#include "fugu/spectral/detail/walsh_kernels.hpp"

namespace fugu::spectral::detail {

// 1 MiB: the L2 cache of today's server cores. Smaller ones spill into L3, which costs less than one more
// column pass.
template <class T>
inline constexpr int kSecondLevelBits = sizeof(T) == 8 ? 17 : 18;

template <class T>
inline constexpr std::size_t kTileWidth = kTileBytes / sizeof(T);

struct ColumnPass {
  int first;
  int stages;
};

// The stages of a row that fits the L2 cache. `cache_bits` as in WalshOptions. A row pass is at least a tile
// wide, which a column pass needs.
template <class T>
int cached_row_bits(int log2_size, int cache_bits) {
  const int cached =
      cache_bits == 0 ? kSecondLevelBits<T> : std::max(cache_bits, std::countr_zero(kTileWidth<T>));
  return std::min(log2_size, cached);
}

// More pieces than threads, since threads are not equally fast.
inline std::size_t pieces_for(unsigned threads) {
  return threads < 2 ? 1 : std::size_t{4} * threads;
}

// The stages of a row that fits a core's share of the L3 cache, if `values` values have such rows for all
// threads. Each stage of the row pass, which is depth-first, saves memory traffic of the column passes. The
// share is 8 MiB, for whole steps of three stages, or 16 where that saves a column pass of `direct_stages`
// stages.
template <class T>
int shared_row_bits(int log2_size, int cache_bits, std::size_t values, unsigned threads, int direct_stages) {
  constexpr int kSharedBits = sizeof(T) == 8 ? 20 : 21;
  const int cached = cached_row_bits<T>(log2_size, cache_bits);
  if (cache_bits != 0) return cached;
  const bool spares_pass = log2_size > kSharedBits && (log2_size - kSharedBits - 1) % direct_stages == 0;
  int bits = std::min(log2_size, kSharedBits + (spares_pass ? 1 : 0));
  while (bits > cached && values >> bits < pieces_for(threads)) --bits;
  return bits;
}

// 64-byte aligned memory for one tile: unaligned, every vector store would straddle two lines.
template <class T>
class Tile {
 public:
  Tile(std::size_t width, int stages) : lines_(((width * sizeof(T)) << stages) / sizeof(Line)) {}
  T* data() { return reinterpret_cast<T*>(lines_.data()); }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> lines_;
};

// Stages [0, inner) of consecutive rows of 2^inner. The hooks, which may be empty, are called with some whole
// rows before and after that while they are in the cache; `at` is the offset of the first value.
template <class T>
struct RowHooks {
  std::function<void(std::size_t at, std::span<T> rows)> before{};
  std::function<void(std::size_t at, std::span<T> rows)> after{};
};
template <class T>
void row_pass(const WalshKernels<T>& kernels, std::span<T> data, int inner, const Workers& workers,
              const RowHooks<T>& hooks = {});

// Calls work(at, scratch) for every tile of the pass, `width` values wide: `at` is the offset of the tile's
// first value in the row, and `scratch` holds `scratch_tiles` tiles.
template <class T>
void for_each_tile(std::size_t row_size, const ColumnPass& pass, std::size_t width, std::size_t scratch_tiles,
                   const Workers& workers,
                   const std::function<void(std::size_t at, std::span<Tile<T>> scratch)>& work);

// One pass, or several if one pass over memory cannot compute all stages.
template <class T>
void column_passes(const WalshKernels<T>& kernels, std::span<T> row, const ColumnPass& pass,
                   const Workers& workers);

// The same if every value is from -2^bound to 2^bound - 1 and 2^stages times that fits; otherwise returns
// false and leaves the row unchanged. The check needs no separate pass. Integers only.
template <class T>
bool bounded_column_passes(const WalshKernels<T>& kernels, std::span<T> row, const ColumnPass& pass,
                           int bound, const Workers& workers);

}  // namespace fugu::spectral::detail
