#include "fugu/spectral/detail/walsh_passes.hpp"

#include <atomic>
#include <vector>

namespace fugu::spectral::detail {
namespace {

constexpr std::size_t kBytesAtATime = 16 * kTileBytes;       // in each row of a thread's tiles
constexpr std::size_t kHookedValues = std::size_t{1} << 12;  // short rows are passed to the hooks together

template <class T>
constexpr std::size_t tiles_at_a_time(std::size_t width) {
  return std::max<std::size_t>(1, kBytesAtATime / (width * sizeof(T)));
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
    std::vector<Tile<T>> scratch;
    for (std::size_t i = 0; i < scratch_tiles; ++i) scratch.emplace_back(width, pass.stages);
    for (std::size_t tile = begin; tile < end; ++tile) {
      const std::size_t block = tile / tiles_across << (pass.first + pass.stages);
      work(block + tile % tiles_across * width, scratch);
    }
  });
}

namespace {

// The tile width of a pass over `values` values. In long rows hardware prefetch works, and the unaligned
// first and last vectors cost the least. Short rows for many threads are at least a page.
template <class T>
std::size_t direct_width(const ColumnPass& pass, std::size_t values, const Workers& workers) {
  constexpr std::size_t kPage = 4096 / sizeof(T);
  std::size_t width = 65536 / sizeof(T);
  while (width > kPage && (values >> pass.stages) / width < pieces_for(workers.threads())) width /= 2;
  return std::min(width, std::size_t{1} << pass.first);
}

// The stages that one pass over memory can compute.
template <class T>
ColumnPass direct_part(const WalshKernels<T>& kernels, const ColumnPass& pass) {
  return {pass.first, first_share(pass.stages, kernels.direct_stages)};
}

template <class T>
bool bounded_direct_pass(const WalshKernels<T>& kernels, std::span<T> row, const ColumnPass& pass, int bound,
                         const Workers& workers) {
  const std::size_t stride = std::size_t{1} << pass.first, width = direct_width<T>(pass, row.size(), workers);
  std::vector<std::size_t> done((row.size() >> pass.stages) / width);
  std::atomic<std::size_t> count = 0;
  std::atomic<bool> fits = true;
  for_each_tile<T>(row.size(), pass, width, 0, workers, [&](std::size_t at, std::span<Tile<T>>) {
    if (!fits) return;
    if (kernels.bounded_direct_columns(row.data() + at, stride, pass.stages, width, bound))
      done[count++] = at;
    else
      fits = false;
  });
  if (fits) return true;
  workers.for_ranges(count, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      kernels.undo_direct_columns(row.data() + done[i], stride, pass.stages, width);
  });
  return false;
}

}  // namespace

template <class T>
void column_passes(const WalshKernels<T>& kernels, std::span<T> row, const ColumnPass& pass,
                   const Workers& workers) {
  for (ColumnPass left = pass; left.stages != 0;) {
    const ColumnPass part = direct_part(kernels, left);
    const std::size_t width = direct_width<T>(part, row.size(), workers);
    for_each_tile<T>(row.size(), part, width, 0, workers, [&](std::size_t at, std::span<Tile<T>>) {
      kernels.direct_columns(row.data() + at, std::size_t{1} << part.first, part.stages, width);
    });
    left = {left.first + part.stages, left.stages - part.stages};
  }
}

template <class T>
bool bounded_column_passes(const WalshKernels<T>& kernels, std::span<T> row, const ColumnPass& pass,
                           int bound, const Workers& workers) {
  const ColumnPass part = direct_part(kernels, pass);
  if (!bounded_direct_pass(kernels, row, part, bound, workers)) return false;
  column_passes(kernels, row, {pass.first + part.stages, pass.stages - part.stages}, workers);
  return true;
}

template bool bounded_column_passes(const WalshKernels<std::int32_t>&, std::span<std::int32_t>,
                                    const ColumnPass&, int, const Workers&);
template bool bounded_column_passes(const WalshKernels<std::int64_t>&, std::span<std::int64_t>,
                                    const ColumnPass&, int, const Workers&);

#define FUGU_INSTANTIATE(T)                                                                                \
  template void row_pass(const WalshKernels<T>&, std::span<T>, int, const Workers&, const RowHooks<T>&);   \
  template void for_each_tile<T>(std::size_t, const ColumnPass&, std::size_t, std::size_t, const Workers&, \
                                 const std::function<void(std::size_t, std::span<Tile<T>>)>&);             \
  template void column_passes(const WalshKernels<T>&, std::span<T>, const ColumnPass&, const Workers&);
FUGU_INSTANTIATE(std::int32_t)
FUGU_INSTANTIATE(std::int64_t)
FUGU_INSTANTIATE(float)
FUGU_INSTANTIATE(double)
#undef FUGU_INSTANTIATE

}  // namespace fugu::spectral::detail
