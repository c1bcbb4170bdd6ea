#include "fugu/spectral/walsh.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <type_traits>

#include "fugu/core/butterfly.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/detail/parallel.hpp"
#include "fugu/spectral/detail/walsh_kernels.hpp"
#include "fugu/spectral/detail/walsh_passes.hpp"

namespace fugu::spectral {
namespace {

void check_rows(std::size_t values, int log2_size) {
  if (log2_size < 0 || log2_size > kMaxLog2Size) {
    throw Error(Errc::usage,
                "n = " + std::to_string(log2_size) + " is outside 0 to " + std::to_string(kMaxLog2Size));
  }
  if (values % (std::size_t{1} << log2_size) != 0) {
    throw Error(Errc::usage,
                std::to_string(values) + " values are not whole rows of 2^" + std::to_string(log2_size));
  }
}

template <class T>
void transform_natural(std::span<T> data, int log2_size, const detail::WalshKernels<T>& kernels,
                       unsigned threads) {
  if (data.size() < detail::kParallelValues) threads = 1;
  const detail::Plan plan = detail::make_plan<T>(log2_size);
  const std::size_t size = std::size_t{1} << log2_size;
  if (plan.columns.empty()) return detail::row_pass(kernels, data, plan.inner, threads);
  for (std::size_t at = 0; at < data.size(); at += size) {
    const std::span<T> row = data.subspan(at, size);
    detail::row_pass(kernels, row, plan.inner, threads);
    for (const detail::ColumnPass& pass : plan.columns) detail::column_pass(kernels, row, pass, threads);
  }
}

template <class T, class Reorder>
void reorder_rows(std::span<T> data, int log2_size, const WalshOptions& options, Reorder reorder) {
  if (options.ordering == Ordering::natural) return;
  const std::size_t size = std::size_t{1} << log2_size;
  const unsigned threads = data.size() < detail::kParallelValues ? 1 : detail::thread_count(options.threads);
  detail::parallel_for(data.size() / size, 1, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row)
      reorder(data.subspan(row * size, size), options.ordering);
  });
}

template <class T>
void divide_by_size(std::span<T> data, int log2_size) {
  if constexpr (std::is_floating_point_v<T>) {
    const T scale = T{1} / static_cast<T>(std::uint64_t{1} << log2_size);
    for (T& x : data) x *= scale;
  } else {
    if (log2_size >= static_cast<int>(8 * sizeof(T))) log2_size = 8 * sizeof(T) - 1;
    const T remainder_mask = static_cast<T>((core::Wrap<T>{1} << log2_size) - 1);
    T remainders = 0;
    for (T& x : data) {
      remainders = static_cast<T>(remainders | (x & remainder_mask));
      x = static_cast<T>(x >> log2_size);
    }
    if (remainders != 0) {
      throw Error(Errc::usage, "not the spectrum of an integer function: the inverse has fractions");
    }
  }
}

}  // namespace

Isa best_isa() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
    return Isa::avx512;
  }
  if (__builtin_cpu_supports("avx2")) return Isa::avx2;
#endif
  return Isa::baseline;
}

int log2_exact(std::uint64_t size) {
  if (!std::has_single_bit(size)) {
    throw Error(Errc::usage, "the length is " + std::to_string(size) + ", not a power of two");
  }
  return std::countr_zero(size);
}

namespace detail {

template <class T>
WalshKernels<T> walsh_kernels(Isa isa) {
  if (isa > best_isa()) throw Error(Errc::usage, "this CPU does not run the instruction set asked for");
#if defined(__x86_64__)
  if (isa == Isa::avx512) return avx512::kernels<T>();
  if (isa == Isa::avx2) return avx2::kernels<T>();
#endif
  return baseline::kernels<T>();
}

}  // namespace detail

template <class T>
void walsh(std::span<T> data, int log2_size, const WalshOptions& options) {
  check_rows(data.size(), log2_size);
  transform_natural(data, log2_size, detail::walsh_kernels<T>(options.isa),
                    detail::thread_count(options.threads));
  reorder_rows(data, log2_size, options, to_ordering<T>);
}

template <class T>
void inverse_walsh(std::span<T> data, int log2_size, const WalshOptions& options) {
  check_rows(data.size(), log2_size);
  reorder_rows(data, log2_size, options, from_ordering<T>);
  transform_natural(data, log2_size, detail::walsh_kernels<T>(options.isa),
                    detail::thread_count(options.threads));
  divide_by_size(data, log2_size);
}

#define FUGU_INSTANTIATE(T)                                    \
  template detail::WalshKernels<T> detail::walsh_kernels(Isa); \
  template void walsh(std::span<T>, int, const WalshOptions&); \
  template void inverse_walsh(std::span<T>, int, const WalshOptions&);
FUGU_INSTANTIATE(std::int32_t)
FUGU_INSTANTIATE(std::int64_t)
FUGU_INSTANTIATE(float)
FUGU_INSTANTIATE(double)
#undef FUGU_INSTANTIATE

}  // namespace fugu::spectral
