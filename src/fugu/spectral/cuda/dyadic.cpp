#include "fugu/spectral/cuda/walsh.hpp"

#include "fugu/error.hpp"
#include "fugu/spectral/cuda/detail/run_plan.hpp"
#include "fugu/spectral/cuda/on_device.hpp"
#include "fugu/spectral/dyadic.hpp"

namespace fugu::spectral::cuda {
template <class T>
void dyadic_convolve(device::DeviceSpan<T> f, device::DeviceSpan<T> g, const device::Stream& stream) {
  if (f.size != g.size) throw Error(Errc::usage, "the functions must have the same length");
  const int n = log2_exact(f.size);
  const bool aligned = is_aligned(f.data) && is_aligned(g.data);
  const ConvolutionPlan plan = plan_convolution(n, sizeof(T), chip_of(stream.context()), aligned);
  const ChainCounters counters(plan.forward, 3, stream);
  run_plan(plan.forward, PlanRun<T>{f.data, f, f.data == g.data ? nullptr : g.data}, counters.of_row(0),
           stream);
  device::launch_on(stream, "convolve_pass", [&](device::StreamHandle handle) {
    return kernels::launch_convolve_pass(element_of<T>(), plan.middle, f.data, g.data, f.size,
                                         plan.forward.passes.empty() ? n : 0, handle);
  });
  // 2^n divides every value, even after overflow: nothing can be inexact.
  run_plan(plan.forward, PlanRun<T>{f.data, f, nullptr, kernels::division(n)}, counters.of_row(2), stream);
}

namespace {

// The sums of the inverse, which are divided in its last pass, are less than 2^(3n) products of values.
template <class T>
bool sums_may_exceed(std::span<const T> f, std::span<const T> g) {
  if constexpr (std::is_floating_point_v<T>) {
    const FloatRange of_f = float_range(f);
    const FloatRange of_g = f.data() == g.data() ? of_f : float_range(g);
    return of_g.finite && of_f.may_exceed<T>(of_g.exponent + 3 * log2_exact(f.size()));
  } else {
    return false;
  }
}

}  // namespace

template <class T>
void dyadic_convolve(std::span<T> f, std::span<T> g, const device::Stream& stream) {
  if (f.size() != g.size()) throw Error(Errc::usage, "the functions must have the same length");
  log2_exact(f.size());
  if constexpr (std::is_integral_v<T>) {
    if (convolution_width(f, g) == ConvolutionWidth::bits128) {
      throw Error(Errc::usage, "the convolution needs 128-bit integers, which only the cpu computes");
    }
  }
  const bool may_exceed = sums_may_exceed<T>(f, g);
  on_device(f, stream, [&](device::DeviceSpan<T> on_gpu) {
    if (f.data() == g.data()) return dyadic_convolve(on_gpu, on_gpu, stream);
    device::Buffer<T> other(stream, g.size(), device::Contents::open);
    upload(other.span(), std::span<const T>(g), stream);
    dyadic_convolve(on_gpu, other.span(), stream);
  });
  if constexpr (std::is_floating_point_v<T>) {
    if (may_exceed) require_finite(std::span<const T>(f));
  }
}

#define FUGU_INSTANTIATE(T)                                                                           \
  template void dyadic_convolve(device::DeviceSpan<T>, device::DeviceSpan<T>, const device::Stream&); \
  template void dyadic_convolve(std::span<T>, std::span<T>, const device::Stream&);
FUGU_INSTANTIATE(std::int64_t)
FUGU_INSTANTIATE(float)
FUGU_INSTANTIATE(double)
#undef FUGU_INSTANTIATE

}  // namespace fugu::spectral::cuda
