// The spectral module on the CPU.
#include <algorithm>
#include <chrono>
#include <complex>
#include <functional>

#include "fugu/spectral/dyadic.hpp"
#include "fugu/spectral/papers/papers.hpp"
#include "fugu/spectral/walsh.hpp"
#include "spectral_samples.hpp"

namespace fugu::bench {
namespace {

using namespace spectral;
using Clock = std::chrono::steady_clock;

double elapsed_microseconds(Clock::time_point from) {
  return std::chrono::duration<double, std::micro>(Clock::now() - from).count();
}

class CpuBench {
 public:
  explicit CpuBench(const SpectralSamples& samples) : samples_(samples) {}

  template <class T>
  void walsh_transforms(const std::string& type, unsigned threads) const {
    for (const int n : {10, 13, 16, 20, 24}) {
      // Small values, and floats scaled back to one before they overflow: the transform is repeated in place.
      std::vector<T> data(std::size_t{1} << n);
      const std::string variant = type + (threads == 1 ? " 1 thread" : " all threads");
      for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<T>(i % 3);
      time("walsh", variant, n, 9, [&] {
        if constexpr (std::is_floating_point_v<T>) data[0] = 1;
        walsh(std::span(data), n, {.threads = threads});
        if constexpr (std::is_floating_point_v<T>) {
          if (!(data[0] < T{1e30f} && data[0] > T{-1e30f})) std::fill(data.begin(), data.end(), T{1});
        }
      });
    }
  }

  void sequential_algorithm() const {
    for (int n = 7; n <= 20; ++n) {
      std::vector<std::int32_t> data(std::size_t{1} << n, 1);
      time("walsh", "algorithm 0", n, 5, [&] { paper_walsh_0(data); });
    }
  }

  void convolutions() const {
    for (const int n : kConvolutionSizes) {
      std::vector<std::int64_t> f(std::size_t{1} << n), g;
      for (std::size_t i = 0; i < f.size(); ++i) f[i] = static_cast<std::int64_t>(i * 2654435761u >> 13 & 1);
      g = f;
      time("convolution", "int64 cpu", n, n < 22 ? 5 : 3, [&] {
        auto a = f, b = g;
        dyadic_convolve(std::span(a), std::span(b));
      });
    }
  }

  void characters() const {
    for (int m = 1; m <= 8; ++m) {
      const CharacterGroup group = group_3(m);
      std::vector<std::complex<float>> table(group.order() * group.order());
      time("characters", "C_3^m complex64 cpu", m, m < 7 ? 5 : 3,
           [&] { character_table(group, whole_table(group), std::span(table), RowOrder::kronecker); });
    }
  }

 private:
  // At least 2 ms per sample, so that the clock's resolution does not show.
  void time(const std::string& what, const std::string& variant, int n, std::size_t count,
            const std::function<void()>& work) const {
    auto start = Clock::now();
    work();
    const auto repeats = static_cast<std::size_t>(1 + 2000 / std::max(elapsed_microseconds(start), 0.02));
    for (std::size_t sample = 0; sample < count; ++sample) {
      start = Clock::now();
      for (std::size_t i = 0; i < repeats; ++i) work();
      samples_.add(what, variant, n, sample, elapsed_microseconds(start) / static_cast<double>(repeats), 0);
    }
  }

  const SpectralSamples& samples_;
};

}  // namespace

void bench_spectral_cpu(const SpectralSamples& samples) {
  const CpuBench bench(samples);
  bench.walsh_transforms<std::int32_t>("int32", 1);
  bench.walsh_transforms<float>("float32", 1);
  bench.walsh_transforms<std::int64_t>("int64", 1);
  bench.walsh_transforms<std::int32_t>("int32", 0);
  bench.sequential_algorithm();
  bench.convolutions();
  bench.characters();
}

}  // namespace fugu::bench
