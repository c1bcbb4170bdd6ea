#include "fugu/spectral/walsh_passes.hpp"

#include <algorithm>
#include <vector>

#include "fugu/spectral/parallel.hpp"

namespace fugu::spectral::detail {
namespace {

template <class T>
constexpr std::size_t kTileWidth = kTileBytes / sizeof(T);

// Stages of the next column pass: as few passes as can be, as even as can be.
int column_stages(int left) {
  const int passes = (left + kMaxColumnStages - 1) / kMaxColumnStages;
  return (left + passes - 1) / passes;
}

// Tiles of the pass [first, first + stages): tile t starts at tile_start(t).
template <class T>
std::size_t tile_start(std::size_t tile, int first, int stages) {
  const std::size_t tiles_across = (std::size_t{1} << first) / kTileWidth<T>;
  return (tile / tiles_across << (first + stages)) + tile % tiles_across * kTileWidth<T>;
}

// 64-byte aligned room for one tile: an unaligned one would split every vector store over two lines.
template <class T>
class Tile {
 public:
  explicit Tile(int stages) : lines_((kTileBytes << stages) / sizeof(Line)) {}
  T* data() { return reinterpret_cast<T*>(lines_.data()); }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> lines_;
};

constexpr std::size_t kTilesAtATime = 16;

template <class T>
void column_pass(const WalshKernels<T>& kernels, std::span<T> row, int first, int stages, unsigned threads) {
  const std::size_t tiles = (row.size() >> stages) / kTileWidth<T>;
  parallel_for(tiles, kTilesAtATime, threads, [&](std::size_t begin, std::size_t end) {
    Tile<T> scratch(stages);
    for (std::size_t tile = begin; tile < end; ++tile) {
      T* at = row.data() + tile_start<T>(tile, first, stages);
      kernels.columns(at, first, stages, at, std::size_t{1} << first, scratch.data());
    }
  });
}

}  // namespace

template <class T>
int all_but_last_pass(const WalshKernels<T>& kernels, std::span<T> row, int log2_size, unsigned threads) {
  const int inner = std::min(log2_size, kSecondLevelBits<T>);
  parallel_for(row.size() >> inner, 1, threads, [&](std::size_t begin, std::size_t end) {
    kernels.rows(row.data() + (begin << inner), inner, end - begin);
  });
  int first = inner;
  while (first + kMaxColumnStages < log2_size) {
    const int stages = column_stages(log2_size - first);
    column_pass(kernels, row, first, stages, threads);
    first += stages;
  }
  return first;
}

template <class T>
void last_pass(const WalshKernels<T>& kernels, std::span<T> row, int first, int log2_size, unsigned threads) {
  if (first < log2_size) column_pass(kernels, row, first, log2_size - first, threads);
}

template <class T>
void visit_last_pass(const WalshKernels<T>& kernels, std::span<const T> row, int first, int log2_size,
                     unsigned threads, const std::function<void(std::span<const T>)>& visit) {
  if (first == log2_size) return visit(row);
  const int stages = log2_size - first;
  const std::size_t tiles = (row.size() >> stages) / kTileWidth<T>;
  parallel_for(tiles, kTilesAtATime, threads, [&](std::size_t begin, std::size_t end) {
    Tile<T> scratch(stages);
    Tile<T> result(stages);
    for (std::size_t tile = begin; tile < end; ++tile) {
      const T* at = row.data() + tile_start<T>(tile, first, stages);
      kernels.columns(at, first, stages, result.data(), kTileWidth<T>, scratch.data());
      visit({result.data(), kTileWidth<T> << stages});
    }
  });
}

#define FUGU_INSTANTIATE(T)                                                                     \
  template int all_but_last_pass(const WalshKernels<T>&, std::span<T>, int, unsigned);          \
  template void last_pass(const WalshKernels<T>&, std::span<T>, int, int, unsigned);            \
  template void visit_last_pass(const WalshKernels<T>&, std::span<const T>, int, int, unsigned, \
                                const std::function<void(std::span<const T>)>&);
FUGU_INSTANTIATE(std::int32_t)
FUGU_INSTANTIATE(std::int64_t)
FUGU_INSTANTIATE(float)
FUGU_INSTANTIATE(double)
#undef FUGU_INSTANTIATE

}  // namespace fugu::spectral::detail
