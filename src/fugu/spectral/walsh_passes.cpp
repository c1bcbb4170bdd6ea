#include "fugu/spectral/detail/walsh_passes.hpp"

namespace fugu::spectral::detail {
namespace {

constexpr std::size_t kValuesTogether = std::size_t{1} << 12;  // short rows are finished together
constexpr std::size_t kRowValuesAtATime = std::size_t{1} << 16;

// The width of the parts of a column pass over `values` values. In long rows hardware prefetch works, and the
// unaligned first and last vectors cost the least. Short rows for many threads are at least a page.
template <class T>
std::size_t part_width(const ColumnPass& pass, std::size_t values, const Workers& workers) {
  constexpr std::size_t kPage = 4096 / sizeof(T);
  std::size_t width = 65536 / sizeof(T);
  while (width > kPage && (values >> pass.stages) / width < pieces_for(workers.threads())) width /= 2;
  return std::min(width, std::size_t{1} << pass.first);
}

// One pass over memory.
template <class T>
Pass column_pass(const WalshKernels<T>& kernels, std::span<T> row, const ColumnPass& pass,
                 const Workers& workers) {
  constexpr std::size_t kValuesAtATime = 16 * kColumnWidth<T>;  // in each row of a thread's parts
  const std::size_t stride = std::size_t{1} << pass.first;
  const std::size_t width = part_width<T>(pass, row.size(), workers);
  const std::size_t across = stride / width;
  const std::size_t grain = std::max<std::size_t>(1, kValuesAtATime / width);
  const auto work = [=](std::size_t first, std::size_t last) {
    for (std::size_t part = first; part < last; ++part) {
      const std::size_t block = part / across << (pass.first + pass.stages);
      kernels.columns(&row[block + part % across * width], stride, pass.stages, width);
    }
  };
  return {(row.size() >> pass.stages) / width, grain, work};
}

}  // namespace

template <class T>
Pass row_pass(const WalshKernels<T>& kernels, std::span<T> data, int inner, const Workers& workers,
              const std::function<void(std::span<T>)>& after) {
  const std::size_t size = std::size_t{1} << inner, count = data.size() / size;
  const std::size_t grain =
      std::max<std::size_t>(1, std::min(kRowValuesAtATime >> inner, count / workers.threads()));
  const std::size_t together = std::max<std::size_t>(1, kValuesTogether >> inner);
  const auto work = [=](std::size_t first, std::size_t last) {
    const std::size_t step = after ? together : last - first;
    for (std::size_t row = first; row < last; row += step) {
      const std::span<T> rows = data.subspan(row * size, std::min(step, last - row) * size);
      kernels.rows(rows.data(), inner, rows.size() / size);
      if (after) after(rows);
    }
  };
  return {count, grain, work};
}

template <class T>
void add_columns(std::vector<Pass>& passes, const WalshKernels<T>& kernels, std::span<T> row,
                 const ColumnPass& pass, const Workers& workers) {
  for (ColumnPass left = pass; left.stages != 0;) {
    const ColumnPass part{left.first, first_share(left.stages, kernels.column_stages)};
    passes.push_back(column_pass(kernels, row, part, workers));
    left = {left.first + part.stages, left.stages - part.stages};
  }
}

#define FUGU_INSTANTIATE(T)                                                                              \
  template Pass row_pass(const WalshKernels<T>&, std::span<T>, int, const Workers&,                      \
                         const std::function<void(std::span<T>)>&);                                      \
  template void add_columns(std::vector<Pass>&, const WalshKernels<T>&, std::span<T>, const ColumnPass&, \
                            const Workers&);
FUGU_INSTANTIATE(std::int32_t)
FUGU_INSTANTIATE(std::int64_t)
FUGU_INSTANTIATE(float)
FUGU_INSTANTIATE(double)
#undef FUGU_INSTANTIATE

}  // namespace fugu::spectral::detail
