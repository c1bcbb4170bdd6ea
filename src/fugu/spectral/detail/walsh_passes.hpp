// The passes over memory that make up a transform. Internal: walsh, boolean and dyadic share them, so that a
// pass can do more than transform.
//
// The stages of the transform commute, so passes may run in any order: first the rows that fit the cache
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

// Returns the width of tiles that nothing keeps in the cache. The hardware reads ahead in rows of 4 KiB, not
// in those of kTileBytes; 512 KiB of scratch fit the L2 cache of today's server cores.
template <class T>
std::size_t wide_tile(const ColumnPass& pass) {
  constexpr std::size_t kWideBytes = 4096, kScratchBytes = std::size_t{1} << 19;
  const std::size_t bytes = std::min(kWideBytes, kScratchBytes >> pass.stages);
  return std::min(bytes / sizeof(T), std::size_t{1} << pass.first);
}

struct Plan {
  int inner;                        // stages of the row pass
  std::vector<ColumnPass> columns;  // empty when a row fits the cache
};

// `cache_bits` as in WalshOptions. A row pass is at least a tile wide, which a column pass needs.
template <class T>
Plan make_plan(int log2_size, int cache_bits) {
  const int cached =
      cache_bits == 0 ? kSecondLevelBits<T> : std::max(cache_bits, std::countr_zero(kTileWidth<T>));
  Plan plan{std::min(log2_size, cached), {}};
  for (int first = plan.inner; first < log2_size;) {
    const int passes = (log2_size - first + kMaxColumnStages - 1) / kMaxColumnStages;
    const int stages = (log2_size - first + passes - 1) / passes;
    plan.columns.push_back({first, stages});
    first += stages;
  }
  return plan;
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

template <class T>
void column_pass(const WalshKernels<T>& kernels, std::span<T> row, const ColumnPass& pass,
                 const Workers& workers);

// The same if every value is from -2^bits to 2^bits - 1 and 2^stages times that fits; otherwise returns false
// and leaves the row unchanged. Integers only.
template <class T>
bool bounded_column_pass(const WalshKernels<T>& kernels, std::span<T> row, const ColumnPass& pass, int bits,
                         const Workers& workers);

}  // namespace fugu::spectral::detail
