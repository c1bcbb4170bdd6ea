#include "fugu/spectral/dyadic.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "fugu/core/butterfly.hpp"
#include "fugu/core/magnitude.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/detail/parallel.hpp"
#include "fugu/spectral/detail/walsh_passes.hpp"
#include "fugu/spectral/detail/wide.hpp"

namespace fugu::spectral {
namespace {

constexpr std::uint64_t kMaxInt64 = (std::uint64_t{1} << 63) - 1;
constexpr std::uint64_t kTooMuch = kMaxInt64 + 1;  // in place of anything larger

struct Norms {
  std::uint64_t max = 0;
  std::uint64_t sum = 0;  // kTooMuch at most
};

Norms norms(std::span<const std::int64_t> f) {
  Norms result;
  for (const std::int64_t x : f) {
    result.max = std::max(result.max, core::magnitude(x));
    result.sum = core::magnitude(x) > kTooMuch - result.sum ? kTooMuch : result.sum + core::magnitude(x);
  }
  return result;
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

template <class T>
void scale_integers([[maybe_unused]] std::span<T> rows, [[maybe_unused]] int log2_size) {
  if constexpr (std::is_integral_v<T>) {
    for (T& x : rows) x = core::shifted_right(x, log2_size);
  }
}

// Floats are scaled with the product, integers after the last stage, where the division is exact.
template <class T>
class Convolution {
 public:
  Convolution(std::span<T> f, std::span<T> g, const WalshOptions& options)
      : f_(f),
        g_(g),
        n_(log2_exact(f.size())),
        kernels_(detail::walsh_kernels<T>(options.isa)),
        workers_(options, f.size()),
        inner_(detail::cached_row_bits<T>(n_, options.cache_bits)) {
    if constexpr (std::is_floating_point_v<T>) scale_ = static_cast<T>(std::ldexp(1.0, -n_));
  }

  void run() {
    detail::row_pass(kernels_, f_, inner_, workers_);
    if (!same()) detail::row_pass(kernels_, g_, inner_, workers_);
    if (inner_ == n_) {
      multiply(f_.data(), g_.data(), f_.size(), scale_);
    } else {
      const int fused = std::min(n_ - inner_, detail::kMaxColumnStages);
      const detail::ColumnPass others{inner_, n_ - inner_ - fused};
      detail::column_passes(kernels_, f_, others, workers_);
      if (!same()) detail::column_passes(kernels_, g_, others, workers_);
      fused_pass({n_ - fused, fused});
      detail::column_passes(kernels_, f_, others, workers_);
    }
    detail::row_pass<T>(kernels_, f_, inner_, workers_,
                        {.after = [&](std::size_t, std::span<T> rows) { scale_integers(rows, n_); }});
    workers_.template refuse_overflow<T>(f_);
  }

 private:
  bool same() const { return f_.data() == g_.data(); }

  // The last stages of both transforms, the product, and the first stages of the inverse, while the tile is
  // in cache.
  void fused_pass(const detail::ColumnPass& pass) {
    constexpr std::size_t kWidth = detail::kTileWidth<T>;
    const std::size_t stride = std::size_t{1} << pass.first;
    detail::for_each_tile<T>(
        f_.size(), pass, kWidth, 3, workers_, [&](std::size_t at, std::span<detail::Tile<T>> tiles) {
          T* f = tiles[1].data();
          T* g = tiles[2].data();
          kernels_.columns(f_.data() + at, stride, pass.stages, f, kWidth, kWidth, tiles[0].data());
          if (!same())
            kernels_.columns(g_.data() + at, stride, pass.stages, g, kWidth, kWidth, tiles[0].data());
          multiply(f, same() ? f : g, kWidth << pass.stages, scale_);
          kernels_.columns(f, kWidth, pass.stages, f_.data() + at, stride, kWidth, tiles[0].data());
        });
  }

  std::span<T> f_;
  std::span<T> g_;
  int n_;
  detail::WalshKernels<T> kernels_;
  detail::Workers workers_;
  int inner_;  // stages of a row pass
  T scale_ = 1;
};

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
                                 std::to_string(g.size()) + " values; they need one length");
  }
  log2_exact(f.size());
  if constexpr (std::is_same_v<T, std::int64_t>) {
    if (convolution_width(f, g) == ConvolutionWidth::bits128) return convolve_wide(f, g);
  }
  Convolution<T>(f, g, options).run();
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
