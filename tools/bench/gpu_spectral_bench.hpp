// Times work on GPU 0 for bench_spectral: medians of nine samples, each the mean of calls back to back.
#pragma once

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "fugu/device/buffer.hpp"
#include "fugu/spectral/cuda/detail/run_plan.hpp"
#include "spectral_samples.hpp"

namespace fugu::bench {

class GpuSpectralBench {
 public:
  explicit GpuSpectralBench(const SpectralSamples& samples)
      : samples_(samples),
        context_(0),
        stream_(context_),
        from_(context_, device::EventKind::timing),
        to_(context_, device::EventKind::timing) {}

  const device::Context& context() const { return context_; }
  const device::Stream& stream() const { return stream_; }
  spectral::cuda::Chip chip() const { return spectral::cuda::chip_of(context_); }

  // The bandwidth that floors are computed with.
  void set_bandwidth(double bytes_per_microsecond) { bytes_per_microsecond_ = bytes_per_microsecond; }
  double floor_of(double bytes) const { return bytes / bytes_per_microsecond_; }

  // Writes the samples of `work` and returns their median in microseconds. `floor` is 0 where there is none.
  double median(const std::string& what, const std::string& variant, int n, double floor,
                const std::function<void()>& work) {
    work();
    const double once = timed(1, work);
    const auto repeats = static_cast<std::size_t>(std::clamp(400.0 / std::max(once, 1.0), 1.0, 50.0));
    std::vector<double> samples(9);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      samples[i] = timed(repeats, work);
      samples_.add(what, variant, n, i, samples[i], floor);
    }
    std::ranges::sort(samples);
    std::fprintf(stderr, "%-14s %-28s n=%2d %10.2f us floor %9.2f ratio %.2f\n", what.c_str(),
                 variant.c_str(), n, samples[4], floor, floor > 0 ? samples[4] / floor : 0);
    return samples[4];
  }

  // SplitMix64's finaliser (Steele, Lea, Flood, OOPSLA 2014).
  static std::uint64_t mixed(std::uint64_t x) {
    x = (x + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
  }

  // Returns values of mixed(), of which the bits of `mask` are taken; they repeat after 2^25.
  template <class T>
  device::Buffer<T> random(std::size_t count, std::uint64_t mask) {
    std::vector<T> host(std::min<std::size_t>(count, std::size_t{1} << 25));
    for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<T>(mixed(i) & mask);
    device::Buffer<T> data(stream_, count, device::Contents::open);
    for (std::size_t at = 0; at < count; at += host.size()) {
      device::copy_to_device(data.span().subspan(at, host.size()), host, stream_);
    }
    return data;
  }

  // Passes over memory: the second of a chain finds its input in the L2 cache.
  static double over_memory(const spectral::cuda::WalshPlan& plan) {
    return static_cast<double>(plan.passes.size()) - (plan.chain ? 1 : 0);
  }

 private:
  // The mean of `repeats` back to back, which hides the host's time to queue one.
  double timed(std::size_t repeats, const std::function<void()>& work) {
    from_.record(stream_);
    for (std::size_t i = 0; i < repeats; ++i) work();
    to_.record(stream_);
    to_.synchronize();
    return 1000.0 * static_cast<double>(device::Event::milliseconds(from_, to_)) /
           static_cast<double>(repeats);
  }

  const SpectralSamples& samples_;
  device::Context context_;
  device::Stream stream_;
  device::Event from_;
  device::Event to_;
  double bytes_per_microsecond_ = 0;
};

void bench_boolean(GpuSpectralBench& bench);
void bench_convolutions(GpuSpectralBench& bench);

}  // namespace fugu::bench
