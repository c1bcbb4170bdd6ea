#include "fugu/spectral/dyadic.hpp"

#include "fugu/core/butterfly.hpp"
#include "fugu/spectral/detail/integers.hpp"
#include "fugu/spectral/detail/walsh_passes.hpp"
#include "fugu/spectral/limits.hpp"

namespace fugu::spectral {
namespace {

constexpr std::uint64_t kMaxInt64 = (std::uint64_t{1} << 63) - 1;
constexpr std::uint64_t kTooMuch = kMaxInt64 + 1;  // stands for anything larger

struct Norms {
  std::uint64_t max;
  std::uint64_t sum;  // kTooMuch at most
};

Norms norms(std::span<const std::int64_t> f) {
  return {detail::largest_magnitude(f), detail::capped_sum(f, kTooMuch)};
}

std::uint64_t capped_product(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > kMaxInt64 / b ? kTooMuch : a * b;
}

// Wraps like the butterflies do.
template <class T>
T product(T a, T b) {
  return static_cast<T>(static_cast<core::Wrap<T>>(a) * static_cast<core::Wrap<T>>(b));
}

template <class T>
void multiply(T* f, const T* g, std::size_t count, T scale) {
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      f[i] = f[i] * g[i] * scale;
    } else {
      f[i] = product(f[i], g[i]);
    }
  }
}

// The row pass of f also multiplies, and begins the inverse, while its rows are in the cache. Floats are
// scaled with the product, integers after the last stage, where the division is exact.
template <class T>
void convolve(std::span<T> f, std::span<T> g, const WalshOptions& options) {
  const int n = log2_exact(f.size());
  const auto kernels = detail::walsh_kernels<T>(limits_of(options).isa);
  const detail::Workers workers(options, f.size());
  const int inner = detail::cached_row_bits<T>(n, limits_of(options).cache_bits, f.size(), workers.threads());
  const detail::ColumnPass columns{inner, n - inner};
  const bool same = f.data() == g.data();
  const T scale = std::is_floating_point_v<T> ? static_cast<T>(std::ldexp(1.0, -n)) : T{1};
  std::vector<detail::Pass> passes;
  if (!same) {
    detail::add_columns(passes, kernels, g, columns, workers);
    passes.push_back(detail::row_pass(kernels, g, inner, workers));
  }
  detail::add_columns(passes, kernels, f, columns, workers);
  passes.push_back(detail::row_pass<T>(kernels, f, inner, workers, [&](std::span<T> rows) {
    multiply(rows.data(), same ? rows.data() : &g[static_cast<std::size_t>(rows.data() - f.data())],
             rows.size(), scale);
    kernels.rows(rows.data(), inner, rows.size() >> inner);
  }));
  detail::add_columns(passes, kernels, f, columns, workers);
  if constexpr (std::is_integral_v<T>) {
    passes.push_back({f.size(), detail::kValuesAtATime, [&](std::size_t first, std::size_t last) {
                        for (std::size_t i = first; i < last; ++i) f[i] = core::shifted_right(f[i], n);
                      }});
  }
  workers.run(passes);
  workers.refuse_overflow<T>(f);
}

void transform_wide(std::vector<detail::Wide>& f) {
  for (std::size_t stride = 1; stride < f.size(); stride *= 2) {
    for (std::size_t block = 0; block < f.size(); block += 2 * stride) {
      for (std::size_t i = block; i < block + stride; ++i) core::butterfly(f[i], f[i + stride]);
    }
  }
}

// Modulo 2^128: the sums before the scale are |C| 2^n < 2^63 2^40.
void convolve_wide(std::span<std::int64_t> f, std::span<const std::int64_t> g) {
  std::vector<detail::Wide> wf(f.begin(), f.end());
  std::vector<detail::Wide> wg(g.begin(), g.end());
  transform_wide(wf);
  transform_wide(wg);
  for (std::size_t i = 0; i < wf.size(); ++i) wf[i] = wf[i] * wg[i];
  transform_wide(wf);
  const int n = log2_exact(f.size());
  for (std::size_t i = 0; i < wf.size(); ++i) f[i] = wf[i].shifted_right(n);
}

}  // namespace

ConvolutionWidth convolution_width(std::span<const std::int64_t> f, std::span<const std::int64_t> g) {
  const Norms nf = norms(f);
  const Norms ng = g.data() == f.data() ? nf : norms(g);
  const std::uint64_t bound = std::min(capped_product(nf.sum, ng.max), capped_product(ng.sum, nf.max));
  if (bound > kMaxInt64) {
    throw Error(Errc::usage, "the convolution may exceed 64-bit integers: the larger values are " +
                                 std::to_string(nf.max) + " and " + std::to_string(ng.max) +
                                 ", each summed over " + std::to_string(f.size()) + " products");
  }
  return capped_product(bound, f.size()) <= kMaxInt64 ? ConvolutionWidth::bits64 : ConvolutionWidth::bits128;
}

template <class T>
void dyadic_convolve(std::span<T> f, std::span<T> g, const WalshOptions& options) {
  if (f.size() != g.size()) {
    throw Error(Errc::usage, "the functions have " + std::to_string(f.size()) + " and " +
                                 std::to_string(g.size()) + " values; they must have the same length");
  }
  log2_exact(f.size());
  if constexpr (std::is_same_v<T, std::int64_t>) {
    if (convolution_width(f, g) == ConvolutionWidth::bits128) return convolve_wide(f, g);
  }
  convolve(f, g, options);
}

template <class T>
void dyadic_autocorrelate(std::span<T> f, const WalshOptions& options) {
  dyadic_convolve(f, f, options);
}

#define FUGU_INSTANTIATE(T)                                                       \
  template void dyadic_convolve(std::span<T>, std::span<T>, const WalshOptions&); \
  template void dyadic_autocorrelate(std::span<T>, const WalshOptions&);
FUGU_INSTANTIATE(std::int64_t)
FUGU_INSTANTIATE(float)
FUGU_INSTANTIATE(double)
#undef FUGU_INSTANTIATE

}  // namespace fugu::spectral
