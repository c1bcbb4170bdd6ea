#include "fugu/spectral/detail/walsh_passes.hpp"

#include <atomic>
#include <vector>

#include "fugu/spectral/stages.hpp"

namespace fugu::spectral::detail {
namespace {

constexpr std::size_t kBytesAtATime = 16 * kTileBytes;       // in each row of a thread's tiles
constexpr std::size_t kHookedValues = std::size_t{1} << 12;  // short rows are passed to the hooks together

template <class T>
constexpr std::size_t tiles_at_a_time(std::size_t width) {
  return kBytesAtATime / (width * sizeof(T));
}

}  // namespace

template <class T>
void row_pass(const WalshKernels<T>& kernels, std::span<T> data, int inner, const Workers& workers,
              const RowHooks<T>& hooks) {
  const std::size_t size = std::size_t{1} << inner;
  const std::size_t grain = std::max<std::size_t>(1, (kParallelValues / 4) >> inner);
  const std::size_t hooked = std::max<std::size_t>(1, kHookedValues >> inner);
  workers.for_ranges(data.size() / size, grain, [&](std::size_t first, std::size_t last) {
    const std::size_t step = hooks.before || hooks.after ? hooked : last - first;
    for (std::size_t row = first; row < last; row += step) {
      const std::span<T> rows = data.subspan(row * size, std::min(step, last - row) * size);
      if (hooks.before) hooks.before(row * size, rows);
      kernels.rows(rows.data(), inner, rows.size() / size);
      if (hooks.after) hooks.after(row * size, rows);
    }
  });
}

template <class T>
void for_each_tile(std::size_t row_size, const ColumnPass& pass, std::size_t width, std::size_t scratch_tiles,
                   const Workers& workers, const std::function<void(std::size_t, std::span<Tile<T>>)>& work) {
  const std::size_t tiles = (row_size >> pass.stages) / width;
  const std::size_t tiles_across = (std::size_t{1} << pass.first) / width;
  workers.for_ranges(tiles, tiles_at_a_time<T>(width), [&](std::size_t begin, std::size_t end) {
    std::vector<Tile<T>> scratch(scratch_tiles, Tile<T>(width, pass.stages));
    for (std::size_t tile = begin; tile < end; ++tile) {
      const std::size_t block = tile / tiles_across << (pass.first + pass.stages);
      work(block + tile % tiles_across * width, scratch);
    }
  });
}

template <class T>
void column_pass(const WalshKernels<T>& kernels, std::span<T> row, const ColumnPass& pass,
                 const Workers& workers) {
  const std::size_t stride = std::size_t{1} << pass.first, width = wide_tile<T>(pass);
  for_each_tile<T>(row.size(), pass, width, 1, workers, [&](std::size_t at, std::span<Tile<T>> scratch) {
    T* tile = row.data() + at;
    kernels.columns(tile, stride, pass.stages, tile, stride, width, scratch[0].data());
  });
}

namespace {

// A transform of exact values is its own inverse up to the scale.
template <class T>
void undo_columns(const WalshKernels<T>& kernels, T* tile, std::size_t stride, int stages, std::size_t width,
                  Tile<T>& scratch) {
  kernels.columns(tile, stride, stages, tile, stride, width, scratch.data());
  for (std::size_t i = 0; i < std::size_t{1} << stages; ++i)
    divide_by_power(std::span(tile + i * stride, width), stages);
}

}  // namespace

template <class T>
bool bounded_column_pass(const WalshKernels<T>& kernels, std::span<T> row, const ColumnPass& pass, int bits,
                         const Workers& workers) {
  const std::size_t stride = std::size_t{1} << pass.first, width = wide_tile<T>(pass);
  std::vector<std::size_t> done((row.size() >> pass.stages) / width);
  std::atomic<std::size_t> count = 0;
  std::atomic<bool> fits = true;
  for_each_tile<T>(row.size(), pass, width, 1, workers, [&](std::size_t at, std::span<Tile<T>> scratch) {
    if (!fits) return;
    if (kernels.bounded_columns(row.data() + at, stride, pass.stages, width, scratch[0].data(), bits))
      done[count++] = at;
    else
      fits = false;
  });
  if (fits) return true;
  workers.for_ranges(count, tiles_at_a_time<T>(width), [&](std::size_t begin, std::size_t end) {
    Tile<T> scratch(width, pass.stages);
    for (std::size_t i = begin; i < end; ++i)
      undo_columns(kernels, row.data() + done[i], stride, pass.stages, width, scratch);
  });
  return false;
}

template bool bounded_column_pass(const WalshKernels<std::int32_t>&, std::span<std::int32_t>,
                                  const ColumnPass&, int, const Workers&);
template bool bounded_column_pass(const WalshKernels<std::int64_t>&, std::span<std::int64_t>,
                                  const ColumnPass&, int, const Workers&);

#define FUGU_INSTANTIATE(T)                                                                                \
  template void row_pass(const WalshKernels<T>&, std::span<T>, int, const Workers&, const RowHooks<T>&);   \
  template void for_each_tile<T>(std::size_t, const ColumnPass&, std::size_t, std::size_t, const Workers&, \
                                 const std::function<void(std::size_t, std::span<Tile<T>>)>&);             \
  template void column_pass(const WalshKernels<T>&, std::span<T>, const ColumnPass&, const Workers&);
FUGU_INSTANTIATE(std::int32_t)
FUGU_INSTANTIATE(std::int64_t)
FUGU_INSTANTIATE(float)
FUGU_INSTANTIATE(double)
#undef FUGU_INSTANTIATE

}  // namespace fugu::spectral::detail
