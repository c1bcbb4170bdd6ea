// bench_spectral's part on Boolean functions.
#include "fugu/spectral/cuda/detail/spectrum_statistics.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "gpu_spectral_bench.hpp"

namespace fugu::bench {
namespace {

using namespace spectral;
using device::Buffer;
using device::Contents;

// The last pass alone where it counts, of values after 23 stages.
void counting_passes(GpuSpectralBench& bench, const Buffer<std::int16_t>& later, int n) {
  cuda::Statistics statistics = cuda::make_counters(n, bench.stream());
  device::wipe(statistics.zeroed, bench.stream());
  statistics.view.narrow_counters = true;
  for (const int tile : {13, 14}) {
    bench.median("boolean pass", "narrow counting 9 + 7 tile " + std::to_string(tile), n,
                 bench.floor_of(2 * static_cast<double>(later.size())), [&] {
                   device::launch_on(bench.stream(), "pass", [&](device::StreamHandle h) {
                     return kernels::launch_boolean_narrow_statistics(
                         cuda::strided_pass(tile, 5, 23, 7), later.data(), later.size(), statistics.view, h);
                   });
                 });
  }
}

void boolean_passes(GpuSpectralBench& bench) {
  const int n = 30;
  const std::size_t values = std::size_t{1} << n;
  const auto words = bench.random<std::uint32_t>(values / 32, 0xffffffffu);
  const Buffer<std::int16_t> narrow(bench.stream(), values, Contents::open);
  const Buffer<std::int32_t> wide(bench.stream(), values, Contents::open);
  const Buffer<std::uint32_t> largest(bench.stream(), 1, Contents::open);
  device::wipe(largest.span(), bench.stream());
  kernels::SpectrumStatistics statistics{};
  statistics.max_abs = largest.data();
  const double v = static_cast<double>(values);
  const auto pass = [&](const std::string& name, double bytes,
                        const std::function<int(device::StreamHandle)>& launch) {
    bench.median("boolean pass", name, n, bench.floor_of(bytes),
                 [&] { device::launch_on(bench.stream(), "pass", launch); });
  };
  pass("first", v * 2.125, [&](device::StreamHandle h) {
    return kernels::launch_boolean_first(words.data(), narrow.data(), n, nullptr, h);
  });
  const Buffer<std::int16_t> later(bench.stream(), values, Contents::open);
  for (const int stages : {7, 8, 9}) {
    const std::string cut = std::string(" ") + std::to_string(stages) + " + " + std::to_string(16 - stages);
    for (const int tile : {13, 14}) {
      const std::string of_tile = cut + " tile " + std::to_string(tile);
      const auto second = cuda::strided_pass(tile, 5, 14, stages),
                 last = cuda::strided_pass(tile, 5, 14 + stages, 16 - stages);
      pass("widen" + of_tile, v * 6, [&](device::StreamHandle h) {
        return kernels::launch_boolean_widen(second, narrow.data(), wide.data(), values, h);
      });
      pass("narrow" + of_tile, v * 4, [&](device::StreamHandle h) {
        return kernels::launch_boolean_narrow(second, narrow.data(), later.data(), largest.data(), values, h);
      });
      pass("narrow statistics" + of_tile, v * 2, [&](device::StreamHandle h) {
        return kernels::launch_boolean_narrow_statistics(last, later.data(), values, statistics, h);
      });
    }
    const auto last = cuda::strided_pass(kernels::kBooleanTileBits, 5, 14 + stages, 16 - stages);
    pass("statistics" + cut, v * 4, [&](device::StreamHandle h) {
      return kernels::launch_boolean_wide_statistics(last, wide.data(), values, statistics, h);
    });
  }
  counting_passes(bench, later, n);
}

}  // namespace

void bench_boolean(GpuSpectralBench& bench) {
  boolean_passes(bench);
  for (const int n : {18, 20, 24, 26, 28, 30}) {
    const auto words = bench.random<std::uint32_t>((std::size_t{1} << n) / 32, 0xffffffffu);
    const Buffer<std::int32_t> out(bench.stream(), std::size_t{1} << n, Contents::open);
    const double v = static_cast<double>(out.size());
    // Bits in, 16-bit values out and in, 32-bit values out; three passes move 32-bit values once more each
    // way, and 16-bit ones where they gather statistics.
    const double full = v / 8 + (n > 24 ? 4 + 12 : 4 + 4) * v;
    const double gathered = v / 8 + (n > 24 ? 4 + 4 : 4) * v;
    bench.median("boolean", "spectrum", n, bench.floor_of(full),
                 [&] { cuda::boolean_spectrum(words.span(), n, out.span(), bench.stream()); });
    bench.median("boolean", "nonlinearity", n, bench.floor_of(gathered),
                 [&] { cuda::summarize_spectrum(words.span(), n, cuda::Histogram::no, bench.stream()); });
    bench.median("boolean", "histogram", n, bench.floor_of(gathered),
                 [&] { cuda::count_spectrum(words.span(), n, bench.stream()); });
    bench.median("boolean", "degree", n, bench.floor_of(v / 8 * (n > 24 ? 3 : 1)),
                 [&] { cuda::algebraic_degree(words.span(), n, bench.stream()); });
  }
}

}  // namespace fugu::bench
