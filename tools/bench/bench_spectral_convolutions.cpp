// bench_spectral's part on dyadic convolutions.
#include "fugu/spectral/cuda/dyadic.hpp"
#include "fugu/spectral/cuda/papers/papers.hpp"
#include "gpu_spectral_bench.hpp"

namespace fugu::bench {
namespace {

using namespace spectral;
using device::Buffer;
using device::Contents;

template <class T>
void convolution(GpuSpectralBench& bench, const std::string& type, int n) {
  const auto f = bench.random<T>(std::size_t{1} << n, 1), g = bench.random<T>(std::size_t{1} << n, 1);
  const auto plan = cuda::plan_convolution(n, sizeof(T), bench.chip());
  const double bytes = static_cast<double>(sizeof(T) * f.size());
  const double floor = bench.floor_of(bytes * (6.0 * GpuSpectralBench::over_memory(plan.forward) + 3));
  bench.median("convolution", type, n, floor,
               [&] { cuda::dyadic_convolve(f.span(), g.span(), bench.stream()); });
}

// The fused pass alone, with more stages and fewer left to the passes before it.
template <class T>
void convolution_middle(GpuSpectralBench& bench, const std::string& type, int n) {
  const auto f = bench.random<T>(std::size_t{1} << n, 1), g = bench.random<T>(std::size_t{1} << n, 1);
  for (const int stages : {5, 6, 7, 8}) {
    const auto pass =
        cuda::strided_pass(kernels::kConvolveTileBits, kernels::kConvolveRegisterBits, n - stages, stages);
    bench.median("convolution pass", type + " " + std::to_string(stages) + " stages", n,
                 bench.floor_of(3.0 * static_cast<double>(sizeof(T) * f.size())), [&] {
                   device::launch_on(bench.stream(), "pass", [&](device::StreamHandle handle) {
                     return kernels::launch_convolve_pass(cuda::element_of<T>(), pass, f.data(), g.data(),
                                                          f.size(), 0, handle);
                   });
                 });
  }
}

// Both inputs up and the result down, from and to pinned memory, which the paper counts as memory time.
void convolution_transfers(GpuSpectralBench& bench, int n) {
  const device::PinnedBuffer<std::int64_t> host(bench.context(), std::size_t{1} << n);
  const Buffer<std::int64_t> f(bench.stream(), host.size(), Contents::open),
      g(bench.stream(), host.size(), Contents::open);
  bench.median("convolution", "transfers", n, 0, [&] {
    device::copy_to_device(f.span(), std::span<const std::int64_t>(host.span()), bench.stream());
    device::copy_to_device(g.span(), std::span<const std::int64_t>(host.span()), bench.stream());
    device::copy_to_host(host.span(), device::DeviceSpan<const std::int64_t>(f.span()), bench.stream());
  });
}

}  // namespace

void bench_convolutions(GpuSpectralBench& bench) {
  convolution_middle<float>(bench, "float32", 27);
  convolution_middle<std::int64_t>(bench, "int64", 27);
  for (const int n : {4, 8, 10, 16, 18, 20, 22, 23, 24, 25, 27}) convolution<std::int64_t>(bench, "int64", n);
  for (const int n : {20, 22, 23, 24, 25, 27}) convolution<float>(bench, "float32", n);
  for (const int n : kConvolutionSizes) {
    const auto f = bench.random<std::int64_t>(std::size_t{1} << n, 1),
               g = bench.random<std::int64_t>(std::size_t{1} << n, 1);
    bench.median("convolution", "paper algorithm 1", n, 0,
                 [&] { cuda::paper_convolve(f.span(), g.span(), bench.stream()); });
    convolution_transfers(bench, n);
  }
}

}  // namespace fugu::bench
