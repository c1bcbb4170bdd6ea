#include "fugu/spectral/walsh.hpp"

#include "fugu/core/butterfly.hpp"
#include "fugu/spectral/detail/check_rows.hpp"
#include "fugu/spectral/detail/walsh_passes.hpp"
#include "fugu/spectral/exactness.hpp"
#include "fugu/spectral/limits.hpp"

namespace fugu::spectral {
namespace {

using detail::check_rows;

// The row pass comes last, and divides while the data is in the L2 cache.
template <class T>
void inverse_natural(std::span<T> row, int inner, int log2_size, const detail::WalshKernels<T>& kernels,
                     const detail::Workers& workers) {
  std::vector<detail::Pass> passes;
  detail::add_columns(passes, kernels, row, {inner, log2_size - inner}, workers);
  std::atomic<bool> whole = true;
  passes.push_back(detail::row_pass<T>(kernels, row, inner, workers, [&](std::span<T> rows) {
    if (!divide_by_power(rows, log2_size)) whole = false;
  }));
  workers.run(passes);
  if (!whole) throw Error(Errc::usage, "not the spectrum of an integer function: the inverse has fractions");
}

// Rows that need column passes are transformed one after the other, shorter ones all at once.
template <class T, class Transform>
void for_each_batch(std::span<T> data, int inner, int log2_size, Transform transform) {
  const std::size_t size = inner == log2_size ? data.size() : std::size_t{1} << log2_size;
  for (std::size_t at = 0; at < data.size(); at += size) transform(data.subspan(at, size));
}

// Rows too narrow for the tiles of a column pass.
template <class T>
void narrow_stage(std::span<T> data, std::size_t distance) {
  for (std::size_t at = 0; at < data.size(); at += 2 * distance) {
    for (std::size_t i = at; i < at + distance; ++i) core::butterfly(data[i], data[i + distance]);
  }
}

}  // namespace

template <class T>
void walsh_stages(std::span<T> data, int first, int stages, const WalshOptions& options) {
  if (first < 0 || stages < 0 || first + stages > kMaxLog2Size ||
      data.size() % (std::size_t{1} << (first + stages)) != 0) {
    throw Error(Errc::usage, std::to_string(data.size()) + " values are not whole rows of 2^" +
                                 std::to_string(first + stages));
  }
  const detail::Workers workers(options, data.size());
  const auto kernels = detail::walsh_kernels<T>(limits_of(options).isa);
  const int end = first + stages;
  for (; first < end && (std::size_t{1} << first) < detail::kColumnWidth<T>; ++first)
    narrow_stage(data, std::size_t{1} << first);
  const std::size_t row = std::size_t{1} << end;
  for (std::size_t at = 0; at < data.size(); at += row) {
    std::vector<detail::Pass> passes;
    detail::add_columns(passes, kernels, data.subspan(at, row), {first, end - first}, workers);
    workers.run(passes);
  }
}

template <class T>
bool divide_by_power(std::span<T> data, int log2_size) {
  if constexpr (std::is_floating_point_v<T>) {
    const T scale = T{1} / static_cast<T>(std::uint64_t{1} << log2_size);
    for (T& x : data) x *= scale;
    return true;
  } else {
    const core::Wrap<T> mask = core::fraction_mask<T>(log2_size);
    core::Wrap<T> remainders = 0;
    for (T& x : data) {
      remainders |= static_cast<core::Wrap<T>>(x) & mask;
      x = core::shifted_right(x, log2_size);
    }
    return remainders == 0;
  }
}

template <class T>
void walsh(std::span<T> data, int log2_size, const WalshOptions& options) {
  check_rows(data.size(), log2_size);
  const detail::Workers workers(options, data.size());
  const auto kernels = detail::walsh_kernels<T>(limits_of(options).isa);
  const int inner = detail::shared_row_bits<T>(log2_size, limits_of(options).cache_bits, data.size(),
                                               workers.threads(), kernels.column_stages);
  for_each_batch(data, inner, log2_size, [&](std::span<T> rows) {
    std::vector<detail::Pass> passes{detail::row_pass(kernels, rows, inner, workers)};
    detail::add_columns(passes, kernels, rows, {inner, log2_size - inner}, workers);
    workers.run(passes);
  });
  workers.refuse_overflow<T>(data);
  detail::reorder(data, log2_size, options.ordering, detail::Reorder::from_natural, workers);
}

template <class T>
bool walsh_if_exact(std::span<T> data, int log2_size, const WalshOptions& options) {
  check_rows(data.size(), log2_size);
  if (!sums_fit(std::span<const T>(data), std::uint64_t{1} << log2_size, options)) return false;
  walsh(data, log2_size, options);
  return true;
}

template <class T>
void inverse_walsh(std::span<T> data, int log2_size, const WalshOptions& options) {
  detail::check_inverse<T>(log2_size);
  check_rows(data.size(), log2_size);
  const detail::Workers workers(options, data.size());
  const auto kernels = detail::walsh_kernels<T>(limits_of(options).isa);
  const int inner =
      detail::cached_row_bits<T>(log2_size, limits_of(options).cache_bits, data.size(), workers.threads());
  detail::reorder(data, log2_size, options.ordering, detail::Reorder::to_natural, workers);
  for_each_batch(data, inner, log2_size,
                 [&](std::span<T> rows) { inverse_natural(rows, inner, log2_size, kernels, workers); });
  workers.refuse_overflow<T>(data);
}

#define FUGU_INSTANTIATE(T)                                                \
  template void walsh(std::span<T>, int, const WalshOptions&);             \
  template bool walsh_if_exact(std::span<T>, int, const WalshOptions&);    \
  template void inverse_walsh(std::span<T>, int, const WalshOptions&);     \
  template void walsh_stages(std::span<T>, int, int, const WalshOptions&); \
  template bool divide_by_power(std::span<T>, int);
FUGU_INSTANTIATE(std::int32_t)
FUGU_INSTANTIATE(std::int64_t)
FUGU_INSTANTIATE(float)
FUGU_INSTANTIATE(double)
#undef FUGU_INSTANTIATE

}  // namespace fugu::spectral
