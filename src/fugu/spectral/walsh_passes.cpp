#include "fugu/spectral/detail/walsh_passes.hpp"

#include <array>

#include "fugu/spectral/detail/parallel.hpp"

namespace fugu::spectral::detail {
namespace {

constexpr std::size_t kTilesAtATime = 16;

}  // namespace

template <class T>
void row_pass(const WalshKernels<T>& kernels, std::span<T> data, int inner, unsigned threads,
              const std::function<void(std::span<T>)>& after) {
  const std::size_t size = std::size_t{1} << inner;
  const std::size_t grain = std::max<std::size_t>(1, (kParallelValues / 4) >> inner);
  parallel_for(data.size() / size, grain, threads, [&](std::size_t first, std::size_t last) {
    if (!after) return kernels.rows(data.data() + first * size, inner, last - first);
    for (std::size_t block = first; block < last; ++block) {
      kernels.rows(data.data() + block * size, inner, 1);
      after(data.subspan(block * size, size));
    }
  });
}

template <class T>
void for_each_tile(std::size_t row_size, const ColumnPass& pass, unsigned threads,
                   const std::function<void(std::size_t, std::span<Tile<T>, 3>)>& work) {
  const std::size_t tiles = (row_size >> pass.stages) / kTileWidth<T>;
  const std::size_t tiles_across = (std::size_t{1} << pass.first) / kTileWidth<T>;
  parallel_for(tiles, kTilesAtATime, threads, [&](std::size_t begin, std::size_t end) {
    std::array<Tile<T>, 3> scratch{Tile<T>(pass.stages), Tile<T>(pass.stages), Tile<T>(pass.stages)};
    for (std::size_t tile = begin; tile < end; ++tile) {
      const std::size_t block = tile / tiles_across << (pass.first + pass.stages);
      work(block + tile % tiles_across * kTileWidth<T>, scratch);
    }
  });
}

template <class T>
void column_pass(const WalshKernels<T>& kernels, std::span<T> row, const ColumnPass& pass, unsigned threads) {
  const std::size_t stride = std::size_t{1} << pass.first;
  for_each_tile<T>(row.size(), pass, threads, [&](std::size_t at, std::span<Tile<T>, 3> scratch) {
    kernels.columns(row.data() + at, stride, pass.stages, row.data() + at, stride, scratch[0].data());
  });
}

#define FUGU_INSTANTIATE(T)                                                                       \
  template void row_pass(const WalshKernels<T>&, std::span<T>, int, unsigned,                     \
                         const std::function<void(std::span<T>)>&);                               \
  template void for_each_tile<T>(std::size_t, const ColumnPass&, unsigned,                        \
                                 const std::function<void(std::size_t, std::span<Tile<T>, 3>)>&); \
  template void column_pass(const WalshKernels<T>&, std::span<T>, const ColumnPass&, unsigned);
FUGU_INSTANTIATE(std::int32_t)
FUGU_INSTANTIATE(std::int64_t)
FUGU_INSTANTIATE(float)
FUGU_INSTANTIATE(double)
#undef FUGU_INSTANTIATE

}  // namespace fugu::spectral::detail
